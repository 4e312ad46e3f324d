/** The result of one benchmark run on one machine. Compare only numbers of the same run. */
export interface BenchResult {
  name: string;
  /** Rows of the table. */
  rows: BenchRow[];
  /** The values to judge, such as a ratio to a peer in the same run. */
  summary: Record<string, number>;
  /** Remarks for the reader. */
  notes?: string[];
  /** Bounds of the benchmark that do not hold. They fail the command. */
  broken?: string[];
}

export interface BenchRow {
  label: string;
  values: Record<string, number | string>;
}
