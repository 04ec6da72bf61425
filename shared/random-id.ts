/**
 * What follows the prefix of our ids (`acct_`, `key_`, `req_`): 32 hexadecimal digits, 122 of their bits random. The edge takes it as an
 * argument, the commands call it.
 */
export const randomId = (): string => crypto.randomUUID().replaceAll("-", "");
