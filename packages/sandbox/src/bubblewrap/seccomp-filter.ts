/*
 * Builds the seccomp filter of bubblewrap's commands: a classic BPF program that the kernel runs before each system
 * call. Source: https://docs.kernel.org/userspace-api/seccomp_filter.html. The structures and constants are those of
 * linux/filter.h, linux/seccomp.h and linux/audit.h.
 *
 * The filter has a default of "allow". It refuses calls that create or join namespaces, mount file systems, read the
 * kernel's keys, load code into the kernel, or reach parts of the kernel that are not separated by namespaces.
 * `ptrace` is allowed: the pid namespace already limits it to the command's own processes, and debuggers and
 * LeakSanitizer need it.
 */

/** Numbers of system calls on x86_64 and aarch64. Undefined if the architecture does not have the call. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined];

/** Refused with EPERM. */
const REFUSED: Readonly<Record<string, Numbers>> = {
  // Namespaces and mounts. In a namespace of its own, a command could mount its cgroup and lift its limits.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  open_by_handle_at: [304, 265],
  // Keys of the user who started Longhaul: key rings are not separated by namespaces.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Large parts of the kernel that had many faults, and that a build does not need.
  bpf: [321, 280],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  modify_ldt: [154, undefined],
  uselib: [134, undefined],
  nfsservctl: [180, 42],
  lookup_dcookie: [212, 18],
  // The machine itself. These also need capabilities, which commands do not have.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, undefined],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  vhangup: [153, 58],
  iopl: [172, undefined],
  ioperm: [173, undefined],
};

const CLONE: Numbers = [56, 220];
const CLONE3: Numbers = [435, 435];
const IOCTL: Numbers = [16, 29];
const SOCKET: Numbers = [41, 198];

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. CLONE_NEWTIME is none of clone's flags. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** TIOCSTI and TIOCLINUX write into the input of a terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** AF_VSOCK reaches the host of a virtual machine, past the network namespace. */
const VSOCK = 40;

const ARCHITECTURES = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
} as const;

/** System calls of the x32 ABI have this bit, and other numbers than those above. */
const X32_BIT = 0x4000_0000;

/** Offsets in `struct seccomp_data`. Arguments have 8 bytes; both architectures store the low half first. */
const OFFSET = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index };

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** One BPF instruction. A jump skips `yes` or `no` instructions. */
interface Instruction {
  code: number;
  value: number;
  yes?: number;
  no?: number;
}

/**
 * Returns the filter as `bwrap --seccomp` reads it, or undefined for an architecture without a table here. Only
 * programs of this architecture run: one for 32 bits is killed with SIGSYS.
 */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const { audit, column } = ARCHITECTURES[arch];
  const number = (numbers: Numbers) => numbers[column];
  return encode([
    { code: LOAD, value: OFFSET.architecture },
    ...unless({ code: JUMP_IF_EQUAL, value: audit }, KILL_PROCESS),
    { code: LOAD, value: OFFSET.number },
    ...(arch === 'x64' ? when({ code: JUMP_IF_AT_LEAST, value: X32_BIT }, ENOSYS) : []),
    ...Object.values(REFUSED).flatMap((numbers) => whenCall(number(numbers), EPERM)),
    // Its flags are in memory, where a filter cannot read them. C libraries fall back to clone.
    ...whenCall(number(CLONE3), ENOSYS),
    ...whenArgument(number(CLONE), 0, [{ code: JUMP_IF_ANY_BIT, value: NAMESPACE_FLAGS }]),
    ...whenArgument(
      number(IOCTL),
      1,
      TERMINAL_INPUT.map((value) => ({ code: JUMP_IF_EQUAL, value })),
    ),
    ...whenArgument(number(SOCKET), 0, [{ code: JUMP_IF_EQUAL, value: VSOCK }]),
    { code: RETURN, value: ALLOW },
  ]);
}

/** Names of the calls that are refused whatever their arguments, with their numbers, for tests. */
export function refusedCalls(arch: 'x64' | 'arm64'): [name: string, number: number][] {
  return Object.entries(REFUSED).flatMap(([name, numbers]) => {
    const number = numbers[ARCHITECTURES[arch].column];
    return number === undefined ? [] : [[name, number] as [string, number]];
  });
}

function when(test: Instruction, result: number): Instruction[] {
  return [
    { ...test, yes: 0, no: 1 },
    { code: RETURN, value: result },
  ];
}

function unless(test: Instruction, result: number): Instruction[] {
  return [
    { ...test, yes: 1, no: 0 },
    { code: RETURN, value: result },
  ];
}

function whenCall(number: number | undefined, result: number): Instruction[] {
  return number === undefined ? [] : when({ code: JUMP_IF_EQUAL, value: number }, result);
}

/** Refuses a call if a test of the low half of an argument succeeds, and allows it otherwise. */
function whenArgument(number: number | undefined, argument: number, tests: Instruction[]): Instruction[] {
  if (number === undefined) return [];
  const body = [
    { code: LOAD, value: OFFSET.argument(argument) },
    ...tests.flatMap((test) => when(test, EPERM)),
    { code: RETURN, value: ALLOW },
  ];
  return [{ code: JUMP_IF_EQUAL, value: number, yes: 0, no: body.length }, ...body];
}

/** Encodes `struct sock_filter`: 16 bits of code, two jumps of 8 bits, 32 bits of value. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, value, yes = 0, no = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
