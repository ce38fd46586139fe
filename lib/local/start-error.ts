import { root } from './root.ts'

// https://nodejs.org/docs/latest-v24.x/api/errors.html#common-system-errors, and the words that PostgreSQL has for them.
const causes: [sign: RegExp, sentence: string][] = [
  [
    /ENOSPC: System limit for number of file watchers/,
    'The system watches too many files already: raise `fs.inotify.max_user_watches`, or start without --watch.',
  ],
  [
    /ENOSPC|EDQUOT|No space left on device/,
    `The disk is full: make room, or start with --fresh. The data is in ${root}/.data.`,
  ],
  [/EROFS/, `The disk is read only: use a copy of the folder ${root} on another one.`],
  [
    /EACCES|EPERM|[Pp]ermission denied/,
    'This user may not write here: start as the owner of the folder, or remove what another user left in .data, dist and node_modules.',
  ],
  [/EMFILE|ENFILE/, 'Too many files are open: raise the limit with `ulimit -n 4096`.'],
]

/** Return in one sentence why the start failed and what to do, with what the system said. */
export function describeStartError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const cause = causes.find(([sign]) => sign.test(message))
  return cause ? `${cause[1]} (${message})` : message
}
