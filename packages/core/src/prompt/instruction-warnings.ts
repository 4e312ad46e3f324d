import { cutInstructions, type InstructionFile } from './instruction-files.ts';

/** Returns a warning for each way in which instruction files are not in the system text as they are on disk. */
export function instructionWarnings(files: readonly InstructionFile[], maxChars: number): string[] {
  const shown = cutInstructions(files, maxChars);
  const cut = files.filter((file, index) => file.isCut || shown[index]?.isCut === true).map(pathOf);
  const damaged = files.filter(({ isDamaged }) => isDamaged === true).map(pathOf);
  const leftOut = files.flatMap((file) => file.leftOut ?? []);
  return [
    ...(cut.length === 0
      ? []
      : [
          `${cut.join(', ')}: only the first ${maxChars} characters of a file, and of all files together twice as many, are in the system text. The model can read the rest of files in the workspace.`,
        ]),
    ...(damaged.length === 0
      ? []
      : [`${damaged.join(', ')}: not valid UTF-8. What cannot be read is replaced in the system text.`]),
    ...(leftOut.length === 0 ? [] : [`Not included in the system text: ${leftOut.join(', ')}.`]),
  ];
}

function pathOf({ path }: InstructionFile): string {
  return path;
}
