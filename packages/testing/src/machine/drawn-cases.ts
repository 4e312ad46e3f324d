/**
 * How many cases a test draws. The fast suite draws fewer. The slow suite runs the same file again with
 * `LONGHAUL_CASES=all`, and draws all of them.
 */
export function drawnCases({ fast, all }: { fast: number; all: number }): number {
  return process.env['LONGHAUL_CASES'] === 'all' ? all : fast;
}
