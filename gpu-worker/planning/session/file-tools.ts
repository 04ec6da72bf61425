/** Tools that work on files, by the words of their names (`nameWords`). */

/** Names of tools that change files ("edit_lines", "search_replace", "create_file"). */
export const edits =
  /\b(?:edit|patch|replace|insert|write)\b|\b(?:create|new|update|modify)\b.*\b(?:file|code|cell)\b/u;

/** Names of tools that find errors in them. */
export const checks = /\b(?:tests?|lints?|build|diagnostics?|problems|errors|typecheck|compile)\b/u;
