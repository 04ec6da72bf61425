// `npm run migration` writes the next file of drizzle/ from the schemas in edge/db; scripts/migrate.ts applies them.
export default {
  dialect: "sqlite",
  schema: ["schema", "counters-schema", "sign-in-schema", "vault-schema"].map(
    (name) => `./edge/db/${name}.ts`,
  ),
  out: "./drizzle",
};
