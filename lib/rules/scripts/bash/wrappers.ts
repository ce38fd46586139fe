import { getCommandName, getStaticText, type Word } from './syntax.ts'

// Commands that execute the command in their arguments.

interface Wrapper {
  /** Letters of the short options without a value. */
  flags?: string
  /** Letters of the short options whose value is the next word. */
  valued?: string
  /** Long options whose value is the next word. */
  longValued?: readonly string[]
  /** The number of arguments before the command, such as the duration of `timeout`. */
  positionals?: number
  /** Whether `name=value` may precede the command. */
  takesAssignments?: boolean
  /** The words after the wrapper's name that make it one, such as `exec` after `docker`. */
  subcommands?: readonly string[]
}

const container: Wrapper = {
  flags: 'itdP',
  valued: 'euwnvpcl',
  longValued:
    '--env --env-file --user --workdir --name --hostname --volume --mount --publish --network --restart --memory --cpus --label --namespace --container'.split(
      ' ',
    ),
  positionals: 1,
  subcommands: ['exec', 'run'],
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: 'AbEeHiKklnPSsVv',
    valued: 'CDghpRrTtUu',
    longValued: ['--user', '--group'],
    takesAssignments: true,
  },
  doas: { flags: 'Lns', valued: 'Cu' },
  env: { flags: 'i0', valued: 'uC', longValued: ['--unset', '--chdir'], takesAssignments: true },
  nohup: {},
  setsid: { flags: 'cfw' },
  nice: { valued: 'n' },
  ionice: { flags: 't', valued: 'cnp' },
  time: { flags: 'pv', valued: 'fo' },
  timeout: { flags: 'v', valued: 'ks', longValued: ['--signal', '--kill-after'], positionals: 1 },
  stdbuf: { valued: 'ioe' },
  command: { flags: 'p' },
  builtin: {},
  exec: { flags: 'cl', valued: 'a' },
  chroot: { positionals: 1 },
  flock: { flags: 'enosux', valued: 'Ew', positionals: 1 },
  xargs: { flags: '0oprtx', valued: 'aEIdLnPs', longValued: ['--max-args', '--max-procs', '--delimiter'] },
  strace: { flags: 'fqv', valued: 'eops' },
  taskset: { flags: 'ac', positionals: 1 },
  chrt: { flags: 'bfior', positionals: 1 },
  'systemd-run': { flags: 'GPqrtS', valued: 'EHMpu', longValued: ['--unit', '--property'] },
  unshare: { flags: 'fimnpruUT' },
  busybox: {},
  ip: { positionals: 1, subcommands: ['netns exec'] },
  docker: container,
  podman: container,
  nerdctl: container,
  kubectl: container,
  oc: container,
}

export interface WrappedCommand {
  /** The words of the executed command. They are empty if the wrapper executes none. */
  inner: readonly Word[]
  /** Whether an option is not known, so that the executed command is uncertain. */
  isUncertain: boolean
  /** Words such as the host name before the command. */
  positionals: readonly Word[]
  /** `name=value` before the command. */
  assignments: readonly Word[]
}

/** Return the command that a wrapper executes, or undefined if the command is no wrapper. */
export function unwrapCommand(words: readonly Word[]): WrappedCommand | undefined {
  const name = getCommandName(words[0]) ?? ''
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (!wrapper) return undefined
  const start = wrapper.subcommands ? findSubcommandEnd(words, wrapper.subcommands) : 1
  if (start === undefined) return undefined
  if (name === 'command' && /^-[vV]+$/.test(getText(words[1]) ?? ''))
    return { inner: [], isUncertain: false, positionals: [], assignments: [] }
  return skipOptions(words.slice(start), wrapper)
}

function getText(word: Word | undefined): string | undefined {
  return word && getStaticText(word)
}

/**
 * Return the index after the subcommand, wherever it stands, so that global options before it need not be
 * known.
 */
function findSubcommandEnd(words: readonly Word[], subcommands: readonly string[]): number | undefined {
  for (const subcommand of subcommands) {
    const [first, second] = subcommand.split(' ')
    const index = words.findIndex(
      (word, at) => at > 0 && getText(word) === first && (!second || getText(words[at + 1]) === second),
    )
    if (index > 0) return index + (second ? 2 : 1)
  }
  return undefined
}

function skipOptions(words: readonly Word[], wrapper: Wrapper): WrappedCommand {
  const assignments: Word[] = []
  const positionals: Word[] = []
  let isUncertain = false
  let index = 0
  for (; index < words.length; index++) {
    const word = words[index] as Word
    const text = getText(word)
    const leadingText = word.parts[0]?.kind === 'text' ? word.parts[0].text : ''
    if (text === '--') continue
    if (leadingText.startsWith('-')) {
      const length = getOptionLength(text ?? leadingText, text === undefined, wrapper)
      if (length === undefined) isUncertain = true
      else index += length - 1
    } else if (wrapper.takesAssignments && /^[A-Za-z_]\w*=/.test(leadingText)) assignments.push(word)
    else if (positionals.length < (wrapper.positionals ?? 0)) positionals.push(word)
    else break
  }
  return { inner: words.slice(index), isUncertain, positionals, assignments }
}

/** Return how many words an option has, or undefined if it is not known. */
function getOptionLength(
  text: string,
  continues: boolean,
  { flags = '', valued = '', longValued = [] }: Wrapper,
): number | undefined {
  if (/^--[a-z-]+=/.test(text)) return text.startsWith('--split-string') ? undefined : 1
  if (text.startsWith('--')) return longValued.includes(text) ? 2 : knownLongFlags.has(text) ? 1 : undefined
  for (const [index, letter] of [...text.slice(1)].entries()) {
    if (valued.includes(letter)) return index + 2 === text.length && !continues ? 2 : 1
    if (!flags.includes(letter)) return undefined
  }
  return continues || text === '-' ? undefined : 1
}

const knownLongFlags = new Set([
  '--non-interactive',
  '--preserve-env',
  '--login',
  '--no-run-if-empty',
  '--null',
  '--verbose',
  '--foreground',
  '--preserve-status',
  '--ignore-environment',
  '--rm',
  '--interactive',
  '--tty',
  '--detach',
  '--privileged',
  '--wait',
  '--pipe',
  '--user',
  '--scope',
])

const maxWrappers = 8

/**
 * Return the words of a command, and those of each command that it executes. Return undefined if there are
 * too many.
 */
export function unwrapAll(words: readonly Word[]): (readonly Word[])[] | undefined {
  const commands: (readonly Word[])[] = []
  for (let current = words; current.length > 0; current = getInner(current)) {
    if (commands.length >= maxWrappers) return undefined
    commands.push(current)
  }
  return commands
}

function getInner(words: readonly Word[]): readonly Word[] {
  if (getCommandName(words[0]) !== 'find') return unwrapCommand(words)?.inner ?? []
  const start = words.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(getText(word) ?? ''))
  return start < 0 ? [] : words.slice(start + 1)
}
