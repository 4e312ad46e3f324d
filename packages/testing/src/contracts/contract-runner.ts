/**
 * What a contract suite needs of a test runner. vitest and Bun's own runner both have it; assertions are Node's, so that a suite
 * runs under either.
 */
export interface ContractRunner {
  describe(name: string, define: () => void): void;
  it(name: string, test: () => Promise<void>): void;
}
