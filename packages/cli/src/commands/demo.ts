export const demo = async () => 0;
