/** Whether a process with this pid exists and belongs to this user. A zombie counts. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
