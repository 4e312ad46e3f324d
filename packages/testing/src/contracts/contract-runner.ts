/**
 * What a contract suite needs from a test runner. vitest and Bun's test runner both provide it. Assertions are Node's,
 * so that a suite runs under either.
 */
export interface ContractRunner {
  describe(name: string, define: () => void): void;
  it(name: string, test: () => Promise<void>): void;
}
