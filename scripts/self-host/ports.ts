/** Loopback ports, chosen before anything starts, so that every child can be given the others' addresses. */
import { createSocket } from "node:dgram";
import { type AddressInfo, createServer } from "node:net";
import { StartError } from "./settings.ts";

/**
 * Range in which free ports are looked for: below the ephemeral ports that a system gives to outgoing connections (from 32768 on
 * Linux, from 49152 elsewhere; RFC 6335, section 6). A child listens seconds after its port was found free, and again after each
 * restart; an ephemeral port may be in use by then.
 */
const ownPorts = { first: 20_000, last: 32_767 };
const attempts = 100;

/**
 * @param wanted 0 for any free one
 * @param random uniform in [0, 1)
 * @throws StartError naming the variable when the port is taken
 */
export async function settlePort(variable: string, wanted: number, random = Math.random): Promise<number> {
  if (wanted !== 0) return probePort(variable, wanted);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const candidate = ownPorts.first + Math.floor(random() * (ownPorts.last - ownPorts.first + 1));
    const port = await probePort(variable, candidate).catch(() => undefined);
    if (port !== undefined && (await claimPort(port))) return port;
  }
  return probePort(variable, 0);
}

/**
 * Keeps other services of this machine off a port until this process ends. Nothing listens on it before its child is up, or while
 * the child is started again, and a probe finds it free then. UDP has port numbers of its own: a socket bound to the same number
 * stands for the claim, leaves the child's TCP port free, and the system closes it also after a SIGKILL.
 * @returns false where another service claims it
 */
function claimPort(port: number): Promise<boolean> {
  const claim = createSocket("udp4");
  return new Promise((settled) => {
    // Any other error says that this machine lends no such socket: the port is as good as it was without a claim.
    claim.once("error", (error: NodeJS.ErrnoException) => settled(error.code !== "EADDRINUSE"));
    claim.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      claim.unref();
      settled(true);
    });
  });
}

/** Opens the port and closes it again. */
async function probePort(variable: string, wanted: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening, failed) => {
    probe.once("error", (error) => failed(portError(variable, wanted, error)));
    probe.listen(wanted, "127.0.0.1", listening);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** What an operator does where the limit of open files is too low. */
export const moreFiles = "raise `ulimit -n`, or LimitNOFILE= under systemd, to 65536.";

export function portError(variable: string, port: number, error: NodeJS.ErrnoException): StartError {
  // No other port would help.
  if (error.code === "EMFILE" || error.code === "ENFILE")
    return new StartError(
      `${variable}: there is no file handle left for a port (${error.code}); ${moreFiles}`,
    );
  return error.code === "EADDRINUSE"
    ? new StartError(
        `${variable}: port ${port} is already in use; set ${variable} to another port, or to 0 for any free one.`,
      )
    : new StartError(
        `${variable}: port ${port} cannot be opened (${error.code}); set ${variable} to another port.`,
      );
}
