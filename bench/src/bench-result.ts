/** What a benchmark measured, in one run on one machine. Only numbers of the same run may be compared. */
export interface BenchResult {
  name: string;
  /** Lines of the table. */
  rows: BenchRow[];
  /** What is judged, such as a ratio to a peer of the same run. */
  summary: Record<string, number>;
  /** What a reader must know beside it. */
  notes?: string[];
}

export interface BenchRow {
  label: string;
  values: Record<string, number | string>;
}
