import type { SessionFormat } from './report.ts';
import type { SessionBuilder } from './session-builder.ts';

/** Reads the lines of a recorded session in Markdown. It must not throw for any line. */
export interface TextImporter {
  readonly format: SessionFormat;
  line(line: string): void;
  /** Called at the end of the file. */
  end(): void;
}

export type CreateTextImporter = (builder: SessionBuilder) => TextImporter;
