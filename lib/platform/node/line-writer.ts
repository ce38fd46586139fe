/**
 * Create a function that writes a line. The lines of one turn of the event loop are written at once: each
 * write to a file or a pipe blocks the process (https://nodejs.org/api/process.html#a-note-on-process-io).
 * The rest is written when the process exits, also by an error.
 */
export function createLineWriter(
  write: (text: string) => unknown = (text) => process.stdout.write(text),
): (line: string) => void {
  let lines: string[] = []
  const flush = () => {
    if (lines.length === 0) return
    const text = `${lines.join('\n')}\n`
    lines = []
    write(text)
  }
  process.on('exit', flush)
  return (line) => {
    if (lines.push(line) === 1) setImmediate(flush)
  }
}
