import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./drizzle.postgres.tables.ts",
  out: "./src/store/postgres/migrations",
});
