/**
 * Whether a click is the second half of a double click. A button that changed under the pointer must not take it for an answer.
 * `detail` counts clicks at one place within the system's own time; for a key press it is 0.
 */
export const isRepeated = ({ detail }: Pick<MouseEvent, "detail">): boolean => detail > 1;

/** For a button's keydown: a key that is held down presses it once. */
export function ignoreHeldKey(event: Pick<KeyboardEvent, "repeat" | "preventDefault">): void {
  if (event.repeat) event.preventDefault();
}
