// `npm run migration` writes the next file of drizzle/ from the schemas in edge/db; scripts/migrate.ts applies them.
export default {
  dialect: "sqlite",
  schema: ["./edge/db/schema.ts", "./edge/db/counters-schema.ts", "./edge/db/sign-in-schema.ts"],
  out: "./drizzle",
};
