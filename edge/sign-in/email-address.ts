/**
 * E-mail addresses as people type them, converted to the one form by which accounts are found. ASCII only: beyond it two
 * spellings can be one address to a mail provider and two to us, or the reverse. Also the mailbox that an address leads to. Pure.
 */

const maxChars = 254;
/** No character that has a meaning in a list of addresses: exactly one address receives the code. */
const shape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Undefined for text that is no address. */
export function readEmailAddress(text: string): string | undefined {
  const address = text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return address.length <= maxChars && shape.test(address) ? address : undefined;
}

const google = /@(?:gmail|googlemail)\.com$/;

/**
 * The mailbox behind an address, for limits: most mail providers drop what follows a plus sign, and Google drops dots. It never finds an
 * account, since two addresses that it takes for one may have two owners at another provider.
 */
export function mailboxOf(address: string): string {
  const plain = address.replace(/^([^+@]+)\+[^@]*/, "$1");
  if (!google.test(plain)) return plain;
  return `${plain.replace(google, "").replaceAll(".", "")}@gmail.com`;
}
