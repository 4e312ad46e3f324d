import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import type { Terminal } from '../../terminal.ts';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 10_000;

/** A program that prints the image of the clipboard as PNG. */
interface Reader {
  program: string;
  args: readonly string[];
  /** Returns the bytes of the image in what was printed. */
  decode: (printed: Buffer) => Buffer;
}

const asIs = (printed: Buffer) => printed;

const POWERSHELL = `Add-Type -AssemblyName System.Windows.Forms
$image = [System.Windows.Forms.Clipboard]::GetImage()
if ($image) {
  $stream = New-Object System.IO.MemoryStream
  $image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)
  [Convert]::ToBase64String($stream.ToArray())
}`;

/**
 * Returns the image in the clipboard as PNG.
 *
 * @throws {LonghaulError} `usage` if there is none, or no program that can read it.
 */
export async function readClipboardImage(
  env: Terminal['env'],
  platform: NodeJS.Platform = process.platform,
): Promise<Uint8Array> {
  for (const { program, args, decode } of readers(env, platform)) {
    const path = findHostProgram(program, env['PATH']);
    if (path === undefined) continue;
    const options = {
      encoding: 'buffer',
      maxBuffer: MAX_BYTES,
      timeout: PATIENCE_MS,
      env: { ...env },
    } as const;
    // These programs fail if the clipboard has a text.
    const { stdout } = await run(path, [...args], options).catch(() => ({ stdout: Buffer.alloc(0) }));
    const image = decode(stdout);
    if (image.length > 0) return image;
    throw new LonghaulError(
      'usage',
      'The clipboard has no image. To paste a text, use the key of your terminal for it.',
    );
  }
  throw new LonghaulError('usage', missing(env, platform));
}

function readers(env: Terminal['env'], platform: NodeJS.Platform): Reader[] {
  if (platform === 'darwin')
    return [
      { program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript },
    ];
  return [
    ...(isWsl(env)
      ? [{ program: 'powershell.exe', args: ['-NoProfile', '-Command', POWERSHELL], decode: fromBase64 }]
      : []),
    ...(isSet(env['WAYLAND_DISPLAY'])
      ? [{ program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'], decode: asIs }]
      : []),
    ...(isSet(env['DISPLAY'])
      ? [
          {
            program: 'xclip',
            args: ['-selection', 'clipboard', '-target', 'image/png', '-out'],
            decode: asIs,
          },
        ]
      : []),
  ];
}

/** `«data PNGf89504E…»` */
function fromAppleScript(printed: Buffer): Buffer {
  return Buffer.from(/PNGf([\dA-F]+)/.exec(printed.toString())?.[1] ?? '', 'hex');
}

function fromBase64(printed: Buffer): Buffer {
  return Buffer.from(printed.toString(), 'base64');
}

function isWsl(env: Terminal['env']): boolean {
  return isSet(env['WSL_DISTRO_NAME']);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function missing(env: Terminal['env'], platform: NodeJS.Platform): string {
  const other = 'Or drop the file into the terminal, or name it with @path.';
  if (platform === 'darwin') return `The clipboard cannot be read: osascript was not found. ${other}`;
  if (isSet(env['WAYLAND_DISPLAY'])) return `To paste an image, install wl-clipboard. ${other}`;
  if (isSet(env['DISPLAY'])) return `To paste an image, install xclip. ${other}`;
  return `This machine has no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Over ssh, copy the image to this machine, and name it with @path.`;
}
