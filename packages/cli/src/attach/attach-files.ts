import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { WorkspaceFiles } from '@longhaul/core';
import { findMentions, LonghaulError, type Mention, type UserMessageContentPart } from '@longhaul/protocol';
import { recogniseMedia } from '@longhaul/tools';
import { isSecretFile } from '@longhaul/tools/secret-files';
import { attachedContent, refusal } from './attached-content.ts';

/** What a person typed. Nothing that a file or a tool contains is ever treated in this way. */
export interface TypedInput {
  /** The words of the command line, in which `@path` names a file of the workspace. */
  text: string;
  /** `--image`, relative to `folder`. */
  images: readonly string[];
  folder: string;
}

const MAX_FILES = 20;

/**
 * Returns the files that a person attached to a message, each once.
 *
 * @throws {LonghaulError} `usage` if a file cannot be attached.
 */
export async function attachFiles(
  { text, images, folder }: TypedInput,
  workspace: string,
): Promise<UserMessageContentPart[]> {
  const mentions = findMentions(text);
  const shown = await Promise.all(images.map((name) => readImage(name, folder)));
  if (mentions.length === 0) return shown;
  const files = await filesOf(workspace);
  const found = new Map<string, string>();
  for (const mention of mentions) {
    const file = await existing(files, mention);
    if (file !== undefined && !found.has(file.path)) found.set(file.path, file.name);
  }
  if (found.size + shown.length > MAX_FILES)
    throw new LonghaulError(
      'usage',
      `A message can have at most ${MAX_FILES} attached files, not ${found.size + shown.length}.`,
    );
  const attached = await Promise.all([...found].map(([path, name]) => readMentioned(files, { path, name })));
  return [...attached, ...shown];
}

async function filesOf(workspace: string): Promise<WorkspaceFiles> {
  const { createWorkspaceFiles, rememberRoot } = await import('@longhaul/sandbox');
  const root = await realpath(workspace);
  return createWorkspaceFiles(await rememberRoot(root), root);
}

/** Finds the file that a mention names. Undefined: the words are text, such as a package or the name of a person. */
async function existing(
  files: WorkspaceFiles,
  { names }: Mention,
): Promise<{ path: string; name: string } | undefined> {
  for (const name of names) {
    try {
      const info = await files.stat(name);
      if (info?.kind === 'directory') return undefined;
      if (info !== undefined) return { path: await files.resolve(name), name };
    } catch (error) {
      if (await isOutside(error, { files, name })) throw outside(name);
    }
  }
  return undefined;
}

/** A name outside of the workspace is refused only if it is a file: `@/lib` is an alias in many projects. */
async function isOutside(
  error: unknown,
  { files, name }: { files: WorkspaceFiles; name: string },
): Promise<boolean> {
  if (!(error instanceof LonghaulError) || error.code !== 'path_outside_workspace') return false;
  const path = isAbsolute(name) ? name : join(files.root, name);
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
}

function outside(name: string): LonghaulError {
  return refusal(
    { typed: `@${name}` },
    'is outside of the workspace. Copy the file into it. An image can also be dropped into the chat, or named with --image on the command line.',
  );
}

async function readMentioned(
  files: WorkspaceFiles,
  { path, name }: { path: string; name: string },
): Promise<UserMessageContentPart> {
  const typed = `@${name}`;
  if (isSecretFile(path) || isSecretFile(name)) {
    throw refusal(
      { typed },
      'usually contains secrets, so it is not sent to the model. Copy what the model may see into the task.',
    );
  }
  const info = await files.stat(path);
  if (info?.kind !== 'file') throw refusal({ typed }, 'is not a regular file.');
  return attachedContent({
    typed,
    path,
    size: info.size,
    read: (length) => files.read(path, { start: 0, length }),
  });
}

/** Reads an image from any folder: the flag names it alone. */
async function readImage(name: string, folder: string): Promise<UserMessageContentPart> {
  const typed = `--image ${name}`;
  const path = isAbsolute(name) ? name : join(folder, name);
  // A FIFO would make a plain open wait for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'does not exist'
        : 'cannot be read';
    throw refusal({ typed }, `${reason}.`);
  });
  await using _closed = handle;
  const info = await handle.stat();
  if (!info.isFile()) throw refusal({ typed }, 'is not a regular file.');
  const read = async (length: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(length, info.size + 1)), {
      position: 0,
    });
    return buffer.subarray(0, bytesRead);
  };
  if (recogniseMedia(await read(16))?.kind !== 'image') {
    throw refusal(
      { typed },
      'is not a PNG, JPEG, GIF or WebP image. To attach a text or a PDF of the workspace, write @path in the task.',
    );
  }
  return await attachedContent({ typed, path, size: info.size, read });
}
