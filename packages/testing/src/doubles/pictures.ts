import { crc32, deflateSync } from 'node:zlib';

interface Size {
  width: number;
  height: number;
}

/** Returns a PNG of RGB pixels with this compressed data. */
export function pngOf({ width, height }: Size, compressed: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, pngChunk('IHDR', header), pngChunk('IDAT', compressed), pngChunk('IEND')]);
}

function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns a PNG that hardly compresses: three bytes for each pixel. The same size gives the same picture. */
export function noisePng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  let state = 1;
  for (let at = 0; at < rows.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    rows[at] = at % (1 + width * 3) === 0 ? 0 : state >>> 16;
  }
  return pngOf({ width, height }, deflateSync(rows, { level: 1 }));
}
