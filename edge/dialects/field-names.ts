/** How a body's top-level fields may be named: unknown ones are kept, and named in a response header where they have to fit. */

const fieldName = /^[\w.-]{1,64}$/;
const maxFields = 100;

/** What is wrong with the names, in the words of a validation error; undefined for names that fit. */
export function judgeFieldNames(body: object): string | undefined {
  const names = Object.keys(body);
  return names.length <= maxFields && names.every((name) => fieldName.test(name))
    ? undefined
    : `takes at most ${maxFields} fields, each named by a plain word of at most 64 characters`;
}
