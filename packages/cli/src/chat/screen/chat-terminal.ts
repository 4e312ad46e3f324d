import { detectCapabilities, ProcessTerminal } from '../pi-tui.ts';
import { UnmarkedPastes } from './unmarked-pastes.ts';

/** The terminal of this process. Pastes are marked, also by terminals that do not mark them. */
export class ChatTerminal extends ProcessTerminal {
  #pastes: UnmarkedPastes | undefined;

  override start(onInput: (data: string) => void, onResize: () => void): void {
    const pastes = new UnmarkedPastes(onInput, { isMarking: marksPastes() });
    this.#pastes = pastes;
    super.start((data) => pastes.take(data), onResize);
  }

  override stop(): void {
    this.#pastes?.flush();
    super.stop();
  }
}

/** Every terminal that is known to take links marks pastes. Of the others, it is not known. */
function marksPastes(): boolean {
  return detectCapabilities(() => false).hyperlinks;
}
