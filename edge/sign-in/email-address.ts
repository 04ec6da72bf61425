/**
 * E-mail addresses as people type them, converted to the one form by which accounts are found. ASCII only: beyond it two
 * spellings can be one address to a mail provider and two to us, or the reverse. Also the mailbox that an address leads to. Pure.
 */

export const maxAddressChars = 254;
/** No character that has a meaning in a list of addresses: exactly one address receives the code. */
const shape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Undefined for text that is not an address. */
export function readEmailAddress(text: string): string | undefined {
  const address = text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return address.length <= maxAddressChars && shape.test(address) ? address : undefined;
}

type Spelling = { domains: RegExp; domain: string; writeName: (name: string) => string };

/** Providers that have several names for one mailbox: their domains, and the one form of each name and domain. */
const spellings: readonly Spelling[] = [
  {
    domains: /@(?:gmail|googlemail)\.com$/,
    domain: "@gmail.com",
    writeName: (name) => name.replaceAll(".", ""),
  },
  // As Proton's own program compares addresses (github.com/ProtonMail/WebClients, `canonicalizeInternalEmail`).
  {
    domains: /@(?:proton\.me|protonmail\.(?:com|ch)|pm\.me)$/,
    domain: "@proton.me",
    writeName: (name) => name.replace(/[._-]/g, ""),
  },
  // Each mailbox has all of these domains, and a dot in its name is a dash (yandex.com/support, "Mailbox aliases").
  {
    domains: /@(?:ya\.ru|yandex\.(?:ru|com|by|kz|ua))$/,
    domain: "@yandex.ru",
    writeName: (name) => name.replaceAll(".", "-"),
  },
  // Mailboxes older than iCloud have two or three (support.apple.com/118230).
  { domains: /@(?:icloud|me|mac)\.com$/, domain: "@icloud.com", writeName: (name) => name },
];

/**
 * The mailbox behind an address, for limits: most mail providers drop what follows a plus sign, and some have more spellings. It never
 * finds an account, since two addresses that it takes for one may have two owners at another provider.
 */
export function mailboxOf(address: string): string {
  const plain = address.replace(/^([^+@]+)\+[^@]*/, "$1");
  const spelling = spellings.find(({ domains }) => domains.test(plain));
  if (spelling === undefined) return plain;
  const { domains, domain, writeName } = spelling;
  return writeName(plain.replace(domains, "")) + domain;
}
