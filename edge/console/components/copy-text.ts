/** Copies a text. @returns what to tell the reader */
export async function copyText(text: string): Promise<string> {
  try {
    // Over http browsers have no clipboard to write to, except on this machine.
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "The browser did not allow it";
  }
}
