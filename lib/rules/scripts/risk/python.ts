import { spend } from '#rules/budget.ts'
import { decodeString, listArguments, type Node, readNodes, splitString } from '#rules/scripts/python/tree.ts'
import {
  deletesFiles,
  executesComputedText,
  executesDownload,
  type FoundRisk,
  isUnknown,
  needsAdministrator,
  type RiskContext,
  unknownMark,
} from './findings.ts'
import { assessProgram, toWord } from './programs.ts'

// Python by its calls. Names are followed through imports, assignments and `getattr`, without regard to order
// and scopes.

const stepsPerCharacter = 40

interface Rule {
  name: RegExp
  risk: FoundRisk
  reason: string
}

const changesAccounts = 'changes accounts, groups or passwords'
const functionRules: readonly Rule[] = [
  {
    name: /^(shutil\.rmtree|distutils\.dir_util\.remove_tree|os\.removedirs)$/,
    risk: 'high',
    reason: deletesFiles,
  },
  {
    name: /^os\.(remove|unlink|rmdir|truncate)$|^send2trash\.send2trash$|^path\.Path\.(remove\w*|rmtree\w*)$/,
    risk: 'medium',
    reason: deletesFiles,
  },
  {
    name: /^(exec|eval|execfile|builtins\.(exec|eval)|__builtins__\.(exec|eval)|runpy\.run_\w+|code\.interact|pickle\.loads?|marshal\.loads|types\.FunctionType|ctypes\.CDLL)$/,
    risk: 'high',
    reason: executesComputedText,
  },
  {
    name: /(^|\.)(ExitWindowsEx|ExitWindows|InitiateSystemShutdown\w*|SetSuspendState)$/,
    risk: 'medium',
    reason: 'shuts a computer down or restarts it',
  },
  {
    name: /(^|\.)(NetUserDel|NetLocalGroupDel|NetGroupDel)$/,
    risk: 'high',
    reason: 'deletes accounts or groups',
  },
  {
    name: /(^|\.)(NetUser(Add|SetInfo|ChangePassword)|NetLocalGroup(Add|Del|Set)\w*|NetGroupAddUser|modify_password|set_password|change_password|create_user|add_user_to_group|admin_set_user_password|create_access_key|attach_user_policy)$/,
    risk: 'medium',
    reason: changesAccounts,
  },
  {
    name: /(^|\.)(DeleteKey(Ex)?|DeleteValue|RegDeleteKey\w*|RegDeleteValue|RegDeleteTree)$/,
    risk: 'high',
    reason: 'deletes from the registry',
  },
  {
    name: /(^|\.)(DeleteService|ControlService|SHFileOperation|DeleteFileW?|FormatEx|ClearEventLog)$/,
    risk: 'high',
    reason: 'deletes files, logs or services',
  },
  {
    name: /\.(delete_\w+|terminate_\w+|deregister_\w+|drop_\w+|remove_user\w*|delete_many|delete_one|drop|drop_all|disable_\w+|purge\w*|rmtree|remove_dir|removedirs)$/,
    risk: 'high',
    reason: 'deletes data, accounts or resources',
  },
  {
    name: /\.(stop_instances|reboot_instances|shutdown|reboot|power_off|poweroff)$/,
    risk: 'medium',
    reason: 'stops or restarts a computer or a resource',
  },
  { name: /\.(unlink|rmdir)$/, risk: 'medium', reason: deletesFiles },
  { name: /^(requests|httpx|session|s|client)\.delete$/, risk: 'medium', reason: 'deletes at an address' },
  {
    name: /^(ftp|sftp|conn|connection|ldap|c)\.(delete|rmd|remove|rmdir)$/,
    risk: 'medium',
    reason: 'deletes on another computer',
  },
  { name: /^os\.(setuid|setgid|chroot)$/, risk: 'medium', reason: 'changes the user of the program' },
]

const shellFunctions =
  /^(os\.(system|popen)|subprocess\.(getoutput|getstatusoutput)|commands\.(getoutput|getstatusoutput)|asyncio\.create_subprocess_shell|popen2\.\w+|pexpect\.(run|spawn|runu)|invoke\.run)$|\.(exec_command|run_cmd|run_ps|send_command|execute_command|sudo)$/
const programFunctions =
  /^(subprocess\.(run|call|check_call|check_output|Popen)|asyncio\.create_subprocess_exec|os\.(exec|spawn|posix_spawn)\w*|os\.startfile|pty\.spawn|webbrowser\.open)$/
const downloadFunctions =
  /^(requests\.(get|post|request)|urllib\.request\.(urlopen|urlretrieve)|urllib\.(urlopen|urlretrieve|urlopen)|urllib2\.urlopen|httpx\.(get|stream)|wget\.download|aiohttp\.\w+|http\.client\.\w+)$/
/** The functions that a bare name may be after `from os import *`. */
const starred =
  /^(remove|unlink|rmdir|removedirs|system|popen|rmtree|run|call|check_call|check_output|Popen|getoutput|execv\w*|spawn\w+)$/
const sql =
  /\b(drop (table|database|schema|user|role|view|index)|delete from|truncate|alter (user|role|login)|grant |revoke )\b/i
const diskPath = /^(\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper)|\\\\\.\\physicaldrive)/i
const accountPath = /^\/etc\/(passwd|shadow|group|sudoers)|authorized_keys$/

/** The parser recovers from errors, which takes long inside of very many open brackets. */
const maxDepth = 200

function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    depth = '([{'.includes(bracket) ? depth + 1 : Math.max(0, depth - 1)
    if (depth > maxDepth) return true
  }
  return false
}

export function assessPython(context: RiskContext, text: string) {
  spend(text.length * stepsPerCharacter)
  if (isTooDeep(text))
    return context.add('medium', 'cannot be read to its end, so it may do more than is listed')
  const reader = createReader(context, text)
  const calls: Node[] = []
  let downloads = false
  let startsUnknown = false
  for (const node of reader.nodes) {
    if (node.kind === 'CallExpression') calls.push(node)
    if (node.kind === 'MemberExpression' || node.kind === 'VariableName') reader.assessReference(node)
  }
  for (const call of calls) {
    context.moveTo(call.start)
    const name = reader.readName(call.children[0])
    if (downloadFunctions.test(name)) downloads = true
    if (reader.assessCall(call, name)) startsUnknown = true
  }
  if (downloads && startsUnknown) context.add('high', executesDownload)
}

type Value = string | Value[] | undefined

function createReader(context: RiskContext, text: string) {
  const names = new Map<string, string>()
  const values = new Map<string, Node[]>()
  let hasStar = false

  const nodes = readNodes(text, { isStrict: false }, () => true)
  spend(nodes.length * 50)
  for (const node of nodes) {
    if (node.kind === 'ImportStatement') readImport(node.text)
    if (node.kind === 'AssignStatement' || node.kind === 'NamedExpression') readAssignment(node)
    if (node.kind === 'ForStatement') readLoop(node)
  }

  function readImport(statement: string): void {
    const source = statement.replace(/[()\\]/g, ' ').replace(/#.*/g, ' ')
    const from = /^from\s+([\w.]+)\s+import\s+(.*)$/s.exec(source)
    if (from?.[2]?.trim() === '*') hasStar = true
    const list = from ? from[2] : /^import\s+(.*)$/s.exec(source)?.[1]
    for (const item of list?.split(',') ?? []) {
      const [name, , alias] = item.trim().split(/\s+/)
      if (!name || name === '*') continue
      if (from) names.set(alias ?? name, `${from[1]}.${name}`)
      else if (alias) names.set(alias, name)
    }
  }

  function readAssignment(node: Node): void {
    const target = node.children[0]
    const value = node.children.at(-1)
    if (!value || target?.kind !== 'VariableName' || target === value) return
    values.set(target.text, [...(values.get(target.text) ?? []), value].slice(0, 20))
  }

  function readLoop({ children }: Node): void {
    const at = children.findIndex(({ kind }) => kind === 'in')
    const [target, value] = [children[at - 1], children[at + 1]]
    const elements = value && listElements(value)
    if (at < 0 || target?.kind !== 'VariableName' || !elements) return
    values.set(target.text, [...(values.get(target.text) ?? []), ...elements.slice(0, 20)])
  }

  /** Return the full name of what an expression names, such as `os.remove`; '' for other expressions. */
  function readName(node: Node | undefined, depth = 0): string {
    if (!node || depth > 12) return ''
    if (node.kind === 'VariableName') {
      const name = node.text
      const imported = names.get(name)
      if (imported) return imported
      const [assigned] = (values.get(name) ?? []).filter(({ kind }) =>
        /^(MemberExpression|VariableName|CallExpression)$/.test(kind),
      )
      const followed = assigned && assigned.text !== name ? readName(assigned, depth + 3) : ''
      if (followed && !followed.endsWith('()')) return followed
      return hasStar && starred.test(name) ? starredName(name) : name
    }
    if (node.kind === 'MemberExpression') {
      const [object, , key] = node.children
      const property = node.children.at(-1)
      if (object && property?.kind === 'PropertyName')
        return `${readName(object, depth + 1)}.${property.text}`
      const text = textOf(key)
      return text !== undefined
        ? `${readName(object, depth + 1).replace(/\.__dict__$|^vars\(\)$/, '')}.${text}`
        : ''
    }
    if (node.kind === 'ParenthesizedExpression') return readName(node.children[1], depth + 1)
    if (node.kind !== 'CallExpression') return ''
    const name = readName(node.children[0], depth + 1)
    const [first, second] = splitArguments(node).args
    if (/^(__import__|importlib\.import_module|import_module)$/.test(name)) return textOf(first) ?? '?'
    if (name === 'getattr') return `${readName(first, depth + 1)}.${textOf(second) ?? '?'}`
    if (/(^|\.)partial$/.test(name)) return readName(first, depth + 1)
    return `${name}()`
  }

  function starredName(name: string): string {
    if (name === 'rmtree') return 'shutil.rmtree'
    return /^(run|call|check_call|check_output|Popen|getoutput)$/.test(name)
      ? `subprocess.${name}`
      : `os.${name}`
  }

  function textOf(node: Node | undefined): string | undefined {
    const value = node && readValue(node)
    return typeof value === 'string' ? value : undefined
  }

  /** Return the text or list that an expression gives, with marks for what is not known. */
  function readValue(node: Node, depth = 0): Value {
    spend(20)
    if (depth > 20) return undefined
    const { children } = node
    switch (node.kind) {
      case 'String':
        // Python runs no script with an unclosed string.
        return splitString(node.text) ? (decodeString(node.text) ?? unknownMark) : ''
      case 'FormatString':
        return decodeFormat(node.text)
      case 'ContinuedString':
        return children.map((child) => readValue(child, depth + 1) ?? unknownMark).join('')
      case 'ParenthesizedExpression':
        return children[1] && readValue(children[1], depth + 1)
      case 'Number':
        return node.text
      case 'ArrayExpression':
      case 'TupleExpression':
        return listElements(node)?.map((element) => readValue(element, depth + 1))
      case 'BinaryExpression': {
        const [left, operator, right] = children
        const a = left && readValue(left, depth + 1)
        const b = right && readValue(right, depth + 1)
        if (operator?.text === '%')
          return typeof a === 'string'
            ? a.replace(/%[sdr]|%\(\w+\)s/g, typeof b === 'string' ? b : unknownMark)
            : undefined
        if (Array.isArray(a) || Array.isArray(b))
          return [...(Array.isArray(a) ? a : [undefined]), ...(Array.isArray(b) ? b : [undefined])]
        return typeof a === 'string' || typeof b === 'string'
          ? `${a ?? unknownMark}${b ?? unknownMark}`
          : undefined
      }
      case 'VariableName': {
        const [only, ...others] = values.get(node.text) ?? []
        return only && others.length === 0 && only.end !== node.end
          ? readValue(only, depth + 4)
          : unknownMark + node.text
      }
      case 'CallExpression': {
        const [callee] = children
        const method = (callee?.kind === 'MemberExpression' && callee.children.at(-1)?.text) || ''
        const object = callee?.children[0]
        const { args } = splitArguments(node)
        if (/^shlex\.split$/.test(readName(callee))) return textOf(args[0])?.split(/\s+/)
        if (object && method === 'split' && args.length === 0) return textOf(object)?.split(/\s+/)
        if (object && method === 'format')
          return textOf(object)?.replace(/\{[^{}]*\}/g, () => textOf(args[0]) ?? unknownMark)
        if (object && /^(strip|lower|encode|decode)$/.test(method)) return readValue(object, depth + 1)
        if (object && method === 'join') {
          const list = args[0] && readValue(args[0], depth + 1)
          return Array.isArray(list)
            ? list.map((item) => item ?? unknownMark).join(textOf(object) ?? ' ')
            : unknownMark
        }
        if (readName(callee) === 'str' && args[0]) return readValue(args[0], depth + 1)
        return unknownMark
      }
      default:
        return undefined
    }
  }

  /** Report a function that deletes or executes, also one that is passed to another function. */
  function assessReference(node: Node): void {
    const { parent } = node
    if (
      parent?.kind === 'ImportStatement' ||
      (parent?.kind === 'MemberExpression' && parent.children[0] !== node && node.kind === 'VariableName')
    )
      return
    if (
      node.kind === 'VariableName' &&
      !names.has(node.text) &&
      !hasStar &&
      parent?.kind !== 'CallExpression' &&
      parent?.kind !== 'ArgList'
    )
      return
    if (parent?.kind === 'AssignStatement' && parent.children[0] === node) return
    const name = readName(node)
    for (const rule of functionRules) {
      if (!rule.name.test(name)) continue
      context.moveTo(node.start)
      const isCleanup =
        /\.(unlink|rmdir)$|^(os\.(remove|unlink|rmdir)|shutil\.rmtree)$/.test(name) && isTemporary(node, name)
      if (!isCleanup)
        context.add(rule.risk, `\`${name.replaceAll(unknownMark, '').slice(-60)}\` ${rule.reason}`)
      return
    }
  }

  /** Whether a call deletes only what `tempfile` made for the script. */
  function isTemporary(node: Node, name: string): boolean {
    const call = node.parent?.kind === 'CallExpression' ? node.parent : undefined
    const target = /^(os|shutil)\./.test(name) ? call && splitArguments(call).args[0] : node.children[0]
    if (target?.kind !== 'VariableName') return false
    const assigned = values.get(target.text) ?? []
    return (
      assigned.length > 0 &&
      assigned.every((value) => /^(tempfile\.\w+\(|mkd?temp\(|mkstemp\(|Path\(tempfile\.)/.test(value.text))
    )
  }

  /** Report what a call executes. Return whether it starts a program that is not known. */
  function assessCall(call: Node, name: string): boolean {
    const { args, keywords } = splitArguments(call)
    const first = args[0] ?? keywords.get('args') ?? keywords.get('cmd') ?? keywords.get('command')
    const value = first && readValue(first)
    const isShell =
      shellFunctions.test(name) ||
      (programFunctions.test(name) && /^(True|1)$/.test(keywords.get('shell')?.text ?? ''))
    if (
      /\.(execute|executemany|executescript|query)$/.test(name) &&
      typeof value === 'string' &&
      sql.test(value)
    )
      context.add('high', `\`${name.split('.').at(-1)}\` deletes or changes data`)
    if (/\.sudo$/.test(name)) context.requireElevation(`\`sudo\` ${needsAdministrator}`)
    if (/(ShellExecuteW?|ShellExecuteEx)$/.test(name) && args.some((arg) => textOf(arg) === 'runas'))
      context.requireElevation(`\`runas\` ${needsAdministrator}`)
    if (/(IsUserAnAdmin|geteuid|getuid)$/.test(name))
      context.requireElevation('asks whether it runs as an administrator')
    if (name === 'open' || name.endsWith('.open')) {
      const mode = textOf(args[1] ?? keywords.get('mode'))
      if (typeof value === 'string' && mode && /[wa+]/.test(mode)) {
        if (diskPath.test(value)) context.add('high', 'overwrites a disk')
        if (accountPath.test(value)) context.add('high', 'writes a file that decides who may sign in')
      }
    }
    if (name === 'os.open' && typeof value === 'string' && diskPath.test(value))
      context.add('high', 'overwrites a disk')
    if (/^sh\.\w+$/.test(name))
      assessProgram(context, [name.slice(3), ...args.map((arg) => textOf(arg) ?? unknownMark)].map(toWord))
    if (name.includes('?') || isUnknown(name))
      context.add('medium', 'calls a function whose name it computes')
    if (call.children[0]?.kind === 'CallExpression')
      for (const rule of functionRules)
        if (rule.name.test(name)) context.add(rule.risk, `\`${name}\` ${rule.reason}`)
    if (!isShell && !programFunctions.test(name)) return false
    if (isShell) {
      const text = Array.isArray(value) ? value.map((item) => item ?? unknownMark).join(' ') : value
      if (text === undefined || text.trim().startsWith(unknownMark)) {
        context.add(text && isParameter(text) ? 'high' : 'medium', 'executes a command that it computes')
        return true
      }
      if (typeof text === 'string') {
        context.assessText('bash', text)
        context.assessText('cmd', text)
      }
      return false
    }
    const list =
      /^os\.(exec|spawn)\w*l/.test(name) || name === 'asyncio.create_subprocess_exec'
        ? args.map((arg) => readValue(arg))
        : /^os\.(exec|spawn)\w*v/.test(name)
          ? readValue(args.at(-1) ?? call)
          : value
    if (typeof list === 'string') {
      if (isUnknown(list)) {
        context.add('medium', 'starts a program whose name it computes')
        return true
      }
      assessProgram(context, list.split(/\s+/).map(toWord))
      return false
    }
    if (!Array.isArray(list)) {
      if (first) context.add('medium', 'starts a program whose name it computes')
      return true
    }
    const words = list.flatMap((item) =>
      Array.isArray(item)
        ? item.map((inner) => (typeof inner === 'string' ? inner : unknownMark))
        : [item ?? unknownMark],
    )
    const program = words[0] ?? ''
    const startsOwn = (first ?? call).text.includes('sys.executable')
    const rest = name.startsWith('os.spawn') ? words.slice(1) : words
    assessProgram(context, (startsOwn ? ['python', ...rest.slice(1)] : rest).map(toWord))
    return isUnknown(program) && !startsOwn
  }

  const isParameter = (text: string) => text.includes('stdin') || text.includes('argv')

  return { nodes, readName, assessReference, assessCall }
}

/** Return the elements of a list or tuple, or undefined for other expressions. */
function listElements({ kind, children }: Node): Node[] | undefined {
  if (!/^(ArrayExpression|TupleExpression)$/.test(kind)) return undefined
  return children.filter((child) => !/^[[\](),]$/.test(child.kind))
}

/** Return the arguments of a call that have no name, and those that have one. */
function splitArguments(call: Node): { args: Node[]; keywords: Map<string, Node> } {
  const args: Node[] = []
  const keywords = new Map<string, Node>()
  for (const nodes of listArguments(call)) {
    const [first, sign, value] = nodes.filter(({ kind }) => kind !== '*' && kind !== '**')
    if (first && sign?.kind !== 'AssignOp') args.push(first)
    else if (first && value) keywords.set(first.text, value)
  }
  return { args, keywords }
}

function decodeFormat(literal: string): string {
  const { source = '' } = splitString(literal) ?? {}
  return source.replace(/\{\{/g, '{').replace(/\{[^{}]*\}/g, unknownMark)
}
