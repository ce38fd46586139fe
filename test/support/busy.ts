/** The processor time in milliseconds that this process spends on `work`, whoever else keeps the machine busy. */
export function busyMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
