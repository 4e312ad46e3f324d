/** Returns the number of elements with which both lists begin. */
export function commonLength(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && left[length] === right[length]) length += 1;
  return length;
}
