/**
 * Whether a click is the later half of a double click, which a button that has changed under the pointer must not take for an
 * answer. `detail` counts clicks at one place in the system's own time for them; a key's is 0. Pure.
 */
export const isRepeated = ({ detail }: Pick<MouseEvent, "detail">): boolean => detail > 1;
