import { release } from 'node:os';

/** Where the program is in the sandbox. */
export const CONFINE_PATH = '/run/longhaul/confine';

/**
 * Returns a program that confines itself with Landlock and becomes the command in its arguments. From then on, the
 * command and its processes can connect only to abstract Unix sockets that they have created themselves. A network that
 * is shared with this machine also shares its abstract sockets, such as those of an X server, which accepts its user.
 *
 * Neither bwrap nor a shell can make these system calls. Undefined if there is no such program: before Linux 6.12, or
 * for other processors than x86_64.
 */
export function confineProgram(arch: string = process.arch, kernel: string = release()): Buffer | undefined {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const hasScopes = major > 6 || (major === 6 && minor >= 12);
  return arch === 'x64' && hasScopes
    ? elfOf(Buffer.from(X86_64.join('').replaceAll(' ', ''), 'hex'))
    : undefined;
}

/** The machine code. It exits with 125 if the kernel refuses. */
const X86_64 = [
  '49 89 e4', //                mov r12, rsp                  argc, argv
  'bf 26 00 00 00', //          mov edi, 38                   PR_SET_NO_NEW_PRIVS
  'b8 9d 00 00 00', //          mov eax, 157                  prctl
  '6a 01 5e', //                push 1; pop rsi
  '31 d2 45 31 d2 45 31 c0', // xor edx, edx; xor r10d, r10d; xor r8d, r8d
  '0f 05', //                   syscall
  '6a 01 6a 00 6a 00', //       push 1; push 0; push 0        scoped: abstract sockets; no files, no ports
  '48 89 e7', //                mov rdi, rsp
  '6a 18 5e', //                push 24; pop rsi
  '31 d2', //                   xor edx, edx
  'b8 bc 01 00 00', //          mov eax, 444                  landlock_create_ruleset
  '0f 05', //                   syscall
  '85 c0 78 27', //             test eax, eax; js fail
  '89 c7 31 f6', //             mov edi, eax; xor esi, esi
  'b8 be 01 00 00', //          mov eax, 446                  landlock_restrict_self
  '0f 05', //                   syscall
  '85 c0 75 18', //             test eax, eax; jnz fail
  '49 8b 0c 24', //             mov rcx, [r12]
  '49 8d 54 cc 10', //          lea rdx, [r12+rcx*8+16]       environment
  '49 8b 7c 24 10', //          mov rdi, [r12+16]             argv[1]
  '49 8d 74 24 10', //          lea rsi, [r12+16]
  '6a 3b 58', //                push 59; pop rax              execve
  '0f 05', //                   syscall
  '6a 7d 5f 6a 3c 58 0f 05', // fail: exit(125)
];

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const LOAD_ADDRESS = 0x400000n;

/** Returns a static ELF executable for x86_64 with one segment. */
function elfOf(code: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES + SEGMENT_BYTES);
  const size = BigInt(header.length + code.length);
  header.write('7f454c46020101', 'hex');
  header.writeUInt16LE(2, 16); // executable
  header.writeUInt16LE(62, 18); // x86_64
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(LOAD_ADDRESS + BigInt(header.length), 24); // entry
  header.writeBigUInt64LE(BigInt(HEADER_BYTES), 32); // offset of the segment's header
  header.writeUInt16LE(HEADER_BYTES, 52);
  header.writeUInt16LE(SEGMENT_BYTES, 54);
  header.writeUInt16LE(1, 56); // one segment
  header.writeUInt32LE(1, HEADER_BYTES); // loaded
  header.writeUInt32LE(5, HEADER_BYTES + 4); // readable, executable
  header.writeBigUInt64LE(LOAD_ADDRESS, HEADER_BYTES + 16);
  header.writeBigUInt64LE(LOAD_ADDRESS, HEADER_BYTES + 24);
  header.writeBigUInt64LE(size, HEADER_BYTES + 32);
  header.writeBigUInt64LE(size, HEADER_BYTES + 40);
  header.writeBigUInt64LE(0x1000n, HEADER_BYTES + 48);
  return Buffer.concat([header, code]);
}

/** The arguments with which bwrap places the program in the sandbox, from an open descriptor. */
export function placeConfineProgram(descriptor: number): string[] {
  return ['--perms', '0555', '--ro-bind-data', String(descriptor), CONFINE_PATH];
}
