import { existsSync } from 'node:fs';
import { checkDoneReverts, checkFork, checkImport } from '../../checks/check-commands.ts';
import { checkCopy, treesAfter } from '../../checks/check-copy.ts';
import { checkBlobs } from '../../checks/check-database.ts';
import { type Defect, defect } from '../../checks/defect.ts';
import { type CommandLine, openLines, type RevertLine } from '../../records/lines.ts';
import type { SessionPaths } from '../../records/paths.ts';
import { readSession } from '../../records/read-database.ts';
import { readFiles } from '../../records/read-files.ts';
import { type ListedSession, listSessions } from '../../records/store-census.ts';

interface Known {
  title: string;
  /** A garbage collection may remove it. */
  isAged: boolean;
  /** A defect of it was reported. It stays, so it is not reported again. */
  isDamaged: boolean;
}

/** Keeps the sessions that the commands have created, and checks after each command that they are as they should be. */
export class CommandCensus {
  readonly #paths: SessionPaths;
  /** The session that the lives drive. */
  readonly #sessionId: string;
  readonly #known = new Map<string, Known>();
  /** Number of the session's compactions and reverts at the last check. */
  #marks = 0;

  constructor(paths: SessionPaths, sessionId: string) {
    this.#paths = paths;
    this.#sessionId = sessionId;
  }

  /** Whether the session that the lives drive is stored. */
  hasSession(): boolean {
    if (!existsSync(this.#paths.database)) return false;
    try {
      return listSessions(this.#paths.database).some(({ id }) => id === this.#sessionId);
    } catch {
      // A life was killed while it created the tables.
      return false;
    }
  }

  /** Whether files of the session are recorded, so that they can be restored. */
  hasFiles(): boolean {
    const { patches, last } = readFiles(this.#paths.database, this.#sessionId);
    return (patches[0]?.sequence ?? last) < last;
  }

  /** Returns a message before which files were recorded. `share`: of these messages. */
  anyMessage(share: number): number {
    const { patches, last } = readFiles(this.#paths.database, this.#sessionId);
    const first = (patches[0]?.sequence ?? 0) + 1;
    return Math.min(last, first + Math.floor(share * (last - first + 1)));
  }

  /** Notes a revert that is not finished. */
  noteUnfinished(): void {
    const { pending } = readFiles(this.#paths.database, this.#sessionId);
    if (pending === undefined) return;
    using lines = openLines<RevertLine>(this.#paths.reverts);
    lines.write(pending);
  }

  /** Allows garbage collections to remove the created sessions that `isChosen` picks. Returns their ids. */
  age(isChosen: () => boolean): string[] {
    const chosen = [...this.#known].filter(([, { isAged }]) => !isAged && isChosen());
    for (const [, known] of chosen) known.isAged = true;
    return chosen.map(([id]) => id);
  }

  /** Checks the store after commands that ran at the same time. */
  take(lines: readonly CommandLine[]): Defect[] {
    const listed = listSessions(this.#paths.database);
    const mayRemove = lines.some(({ kind }) => kind === 'gc');
    const ids = new Set(listed.map(({ id }) => id));
    return [
      ...(ids.has(this.#sessionId) ? [] : [defect('lost-message', 'the session was removed')]),
      ...this.#missing(ids, mayRemove),
      ...this.#lostReverts(lines),
      ...listed.filter(({ id }) => id !== this.#sessionId).flatMap((session) => this.#look(session)),
      ...lines.flatMap(({ kind, isDone, sessionId = '', plan }) => {
        const creates = kind === 'import' || kind === 'fork' || kind === 'fork-files';
        return creates && isDone && !ids.has(sessionId)
          ? [defect('lost-message', `${plan}: it reported the session "${sessionId}", which does not exist`)]
          : [];
      }),
    ];
  }

  /** Checks the folders of forks with files. */
  async takeCopies(lines: readonly CommandLine[]): Promise<Defect[]> {
    const { database, copy } = this.#paths;
    const defects: Defect[] = [];
    for (const { kind, number, message = 0, isDone } of lines) {
      if (kind !== 'fork-files') continue;
      const trees = treesAfter(message, readFiles(database, this.#sessionId));
      defects.push(...(await checkCopy(this.#paths, { folder: copy(number), trees, isDone })));
    }
    return defects;
  }

  #lostReverts(lines: readonly CommandLine[]): Defect[] {
    const { marks } = readSession(this.#paths.database, this.#sessionId);
    const known = this.#marks;
    this.#marks = marks.length;
    return checkDoneReverts(lines, marks, known);
  }

  #missing(ids: ReadonlySet<string>, mayRemove: boolean): Defect[] {
    return [...this.#known].flatMap(([id, { title, isAged }]) => {
      if (ids.has(id)) return [];
      this.#known.delete(id);
      return isAged && mayRemove ? [] : [defect('lost-message', `"${title}" was removed`)];
    });
  }

  #look(session: ListedSession): Defect[] {
    const known = this.#known.get(session.id);
    if (known?.isDamaged === true) return [];
    const found = this.#check(session, known === undefined);
    const { title } = session;
    this.#known.set(session.id, { title, isAged: known?.isAged ?? false, isDamaged: found.length > 0 });
    return found;
  }

  #check({ id, title, lastSequence }: ListedSession, isNew: boolean): Defect[] {
    const { database, blobs } = this.#paths;
    const stored = readSession(database, id);
    const lost = checkBlobs(stored, blobs);
    const [, imported] = /^Import (\d+), message 1\./.exec(title) ?? [];
    if (imported !== undefined) return [...lost, ...checkImport(stored, Number(imported))];
    if (!/^fork-\d+$/.test(title)) return [defect('corruption', `nobody created the session "${title}"`)];
    // Once is enough: checking it needs the whole source.
    if (!isNew) return lost;
    const source = readSession(database, this.#sessionId);
    return [...lost, ...checkFork(stored, source, { name: title, lastSequence })];
  }
}
