// `npm run migration` writes the next file of drizzle/ from edge/db/schema.ts; scripts/migrate.ts applies them.
import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "sqlite", schema: "./edge/db/schema.ts", out: "./drizzle" });
