/** The part of Bun's SQLite that is used here. Bun's own type package would replace Node's globals. */
declare module 'bun:sqlite' {
  export class Database {
    constructor(path: string, options?: { readwrite?: boolean; create?: boolean; readonly?: boolean });
    readonly inTransaction: boolean;
    exec(sql: string): void;
    prepare(sql: string): {
      get(): Record<string, unknown> | null;
      iterate(...values: (string | number | bigint | null)[]): Iterable<Record<string, unknown>>;
    };
    close(): void;
  }
}

declare module 'bun:test' {
  export function describe(name: string, define: () => void): void;
  export function it(name: string, test: () => Promise<void>): void;
  export function afterAll(clean: () => Promise<void>): void;
}
