// `npm run migration` writes the next file of drizzle/ from the schemas in edge/db; scripts/migrate.ts applies them.
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./edge/db/schema.ts", "./edge/db/counters-schema.ts", "./edge/db/sign-in-schema.ts"],
  out: "./drizzle",
});
