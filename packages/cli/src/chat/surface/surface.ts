import type { Completions } from '../composer/completions.ts';
import type { ApprovalPanelOptions } from '../panels/approval-panel.ts';
import type { PickerOptions } from '../panels/picker.ts';

export type PickOptions<T> = Omit<PickerOptions<T>, 'paint' | 'onDone' | 'onChange'>;
export interface ApprovalOptions extends Omit<ApprovalPanelOptions, 'paint'> {
  /** The person pressed keys a moment ago, so that the next one may be meant for the composer. */
  isUnexpected: boolean;
}

export interface SurfaceListener {
  /** Lines above the text that is written: the current activity, the todo list, the queue. */
  above(columns: number): readonly string[];
  /** The line below it. */
  status(columns: number): string;
  onEnter(text: string): void;
  /** The text that is written has changed. */
  onChange(): void;
  /** Returns true if the key is used up. Keys of the text itself do not come here if a question is open. */
  onKey(data: string): boolean;
  /** The input has ended. */
  onEnd(): void;
}

/** How a chat shows itself and is typed into: with lines that are redrawn, or as plain lines. */
export interface Surface {
  /** Columns of permanent text. */
  readonly columns: number;
  /** The text that is written and not entered. */
  text: string;
  /** Inserts a text at the cursor. */
  insert(text: string): void;
  /** Completions are open, so that keys such as Esc are theirs. */
  readonly isCompleting: boolean;
  /** A question is open in place of the text. */
  readonly hasQuestion: boolean;
  /** Counts the keys that were not pressed for a question. */
  readonly keys: number;
  /** What was entered stays on the screen. */
  readonly keepsEntered: boolean;
  /** The status is always seen, not only after work. */
  readonly showsStatus: boolean;
  /** Counts while something is at work. */
  readonly frame: number;
  /** Resolves when the terminal owes no answer, which another program would read as typed text. */
  readonly settled: Promise<void>;
  start(listener: SurfaceListener): void;
  stop(): void;
  /** Writes permanent lines. */
  print(text: string): void;
  /** The lines around the text have changed. */
  redraw(): void;
  /** Draws everything again. */
  clear(): void;
  setWorking(isWorking: boolean): void;
  setTitle(title: string): void;
  /** Calls the person back to the terminal, if they look elsewhere. */
  notify(text: string): void;
  /** Asks the terminal to put a text into its clipboard. Returns false if nothing may be asked of it. */
  copy(text: string): boolean;
  addToHistory(text: string): void;
  complete(completions: Completions): void;
  /** Lets the person choose. Undefined: nothing was chosen. */
  pick<T>(options: PickOptions<T>): Promise<T | undefined>;
  /** Asks about a call that is printed above, until it is answered or the result is disposed. */
  askApproval(options: ApprovalOptions): Disposable;
  /** Leaves the terminal to another program, until `take`. */
  release(): void;
  /** Takes the terminal again. */
  take(): void;
}

/** Leaves the terminal to other programs while `work` runs. */
export async function suspended<T>(
  surface: Pick<Surface, 'settled' | 'release' | 'take'>,
  work: () => Promise<T>,
): Promise<T> {
  await surface.settled;
  surface.release();
  try {
    return await work();
  } finally {
    surface.take();
  }
}
