export function ApprovalDialog() {
  return null;
}
