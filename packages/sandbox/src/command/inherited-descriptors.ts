import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

let known: readonly number[] | undefined;

/**
 * Returns the file descriptors above 2 that this process inherited and every program that it starts would inherit:
 * terminals, editors and scripts leave them open. Node opens its own so that they are closed in other programs.
 *
 * A folder of this machine that is open in a command is a way out of its sandbox. Empty without /proc.
 */
export function inheritedDescriptors(): readonly number[] {
  known ??= readDescriptors();
  return known;
}

function readDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    return [];
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the descriptor with which the list was read.
    return false;
  }
}
