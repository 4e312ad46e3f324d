import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isEmbeddedFile } from '../../embedded-file.ts';
import { acceptedEncodings } from './encodings.ts';
import { PAGE_HEADERS } from './page-headers.ts';

export interface PageRequest {
  method: string;
  /** As sent: not decoded. */
  path: string;
  /** Returns a header of the request. */
  header: (name: string) => string | undefined;
}

/** Serves the files of the built page. They hold nothing secret, so they need no token. */
export interface PageFiles {
  /**
   * Returns undefined if the path names no file of the page.
   *
   * @throws {LonghaulError} `method_not_allowed`
   */
  answer(request: PageRequest): Promise<Response | undefined>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff2: 'font/woff2',
};

/**
 * The only paths that can name a file: one in the folder itself, or one in `assets`. A name has no separator and does
 * not begin with a dot, so no path leads out of the folder.
 */
const FILE_PATH = /^\/(?<folder>assets\/)?(?<name>[A-Za-z0-9_-][\w.-]*\.(?<extension>[a-z0-9]+))$/;

/** The build puts a hash of the content into these names. */
const FOREVER = 'public, max-age=31536000, immutable';
const ALWAYS_ASK = 'no-cache';

const NOT_BUILT = `The page of this server is not built. In a checkout of Longhaul, run:

  npm run build

and load this address again. The API works without it. To serve no page, set web.enabled: false.
`;

/** @param folder The built page: `index.html`, and files with hashed names in `assets`. */
export function createPageFiles(folder: string): PageFiles {
  return {
    async answer({ method, path, header }) {
      const place = placeOf(path);
      if (place === undefined) return undefined;
      const found = await readBest(join(folder, place.file), header('accept-encoding'));
      if (found === undefined && path !== '/') return undefined;
      if (method !== 'GET' && method !== 'HEAD') throw onlyReads(method);
      if (found === undefined) return notBuilt();
      const headers = {
        ...PAGE_HEADERS,
        'cache-control': place.isHashed ? FOREVER : ALWAYS_ASK,
        'content-type': place.mediaType,
        etag: `"${createHash('sha256').update(found.bytes).digest('base64url')}"`,
        vary: 'accept-encoding',
        ...(found.encoding === undefined ? {} : { 'content-encoding': found.encoding }),
      };
      if (names(header('if-none-match'), headers.etag)) return new Response(null, { status: 304, headers });
      return new Response(found.bytes, {
        headers: { ...headers, 'content-length': String(found.bytes.length) },
      });
    },
  };
}

interface Place {
  /** Relative to the folder. */
  file: string;
  mediaType: string;
  isHashed: boolean;
}

function placeOf(path: string): Place | undefined {
  const { folder = '', name, extension } = FILE_PATH.exec(path === '/' ? '/index.html' : path)?.groups ?? {};
  const mediaType = Object.hasOwn(MEDIA_TYPES, extension ?? '') ? MEDIA_TYPES[extension ?? ''] : undefined;
  if (name === undefined || mediaType === undefined) return undefined;
  return { file: `${folder}${name}`, mediaType, isHashed: folder !== '' };
}

interface Found {
  bytes: Uint8Array<ArrayBuffer>;
  encoding?: string;
}

/** Returns the compressed copy that the client accepts, or the file. Undefined: there is no such file. */
async function readBest(path: string, acceptEncoding: string | undefined): Promise<Found | undefined> {
  const whole = await readFileAt(path);
  if (whole === undefined) return undefined;
  for (const { name, extension } of acceptedEncodings(acceptEncoding)) {
    const bytes = await readFileAt(path + extension);
    if (bytes !== undefined) return { bytes, encoding: name };
  }
  return { bytes: whole };
}

/** Follows no link, and reads regular files only. */
async function readFileAt(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    if (isEmbeddedFile(path)) return Uint8Array.from(await readFile(path));
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return (await file.stat()).isFile() ? Uint8Array.from(await file.readFile()) : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/** Whether an `If-None-Match` header names the tag. */
function names(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(tag);
}

function notBuilt(): Response {
  return new Response(NOT_BUILT, {
    status: 404,
    headers: { ...PAGE_HEADERS, 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  });
}

function onlyReads(method: string): LonghaulError {
  const allow = 'GET, HEAD';
  return new LonghaulError('method_not_allowed', `This address does not support ${method}. Use ${allow}.`, {
    data: { allow },
  });
}
