/** How the servers of a cluster reach each other. */
export class ClusterAddress {
  /** With which they sign in to each other. */
  readonly secret: string;
  #address: string | undefined;

  /** @param options.address Of this server. Default: the address on which it listens, unless it stands for several. */
  constructor({ secret, address }: { secret: string; address: string | undefined }) {
    this.secret = secret;
    this.#address = address;
  }

  /** Where the others reach this server. Undefined: nowhere. */
  get current(): string | undefined {
    return this.#address;
  }

  /** Called when it is known on which address the server listens. */
  listens(host: string, port: number): void {
    if (host === '0.0.0.0' || host === '::') return;
    this.#address ??= `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }
}
