/** What the documents' pages do: the chosen theme, the search, the API's reference where its page is open. */
import { startTheme } from "../theme.ts";
import { showReference } from "./reference.ts";
import { startSearch } from "./search.ts";

startTheme();
startSearch();
const reference = document.getElementById("api");
if (reference !== null) void showReference(reference);
