/** The theme before the first paint: the page's modules run after it, and would let the other theme flash on a slow network. */
import { showTheme } from "./theme.ts";

showTheme();
