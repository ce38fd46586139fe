import { parser } from '@lezer/python'
import { spend } from '#rules/budget.ts'
import { decodeEscapes } from '#rules/scripts/python/escapes.ts'
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

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

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
  const calls: SyntaxNode[] = []
  let downloads = false
  let startsUnknown = false
  for (const node of reader.nodes) {
    if (node.name === 'CallExpression') calls.push(node)
    if (node.name === 'MemberExpression' || node.name === 'VariableName') reader.assessReference(node)
  }
  for (const call of calls) {
    context.moveTo(call.from)
    const name = reader.readName(call.firstChild)
    if (downloadFunctions.test(name)) downloads = true
    if (reader.assessCall(call, name)) startsUnknown = true
  }
  if (downloads && startsUnknown) context.add('high', executesDownload)
}

type Value = string | Value[] | undefined

function createReader(context: RiskContext, text: string) {
  const nodes: SyntaxNode[] = []
  const names = new Map<string, string>()
  const values = new Map<string, SyntaxNode[]>()
  let hasStar = false
  const slice = ({ from, to }: { from: number; to: number }) => text.slice(from, to)

  const cursor = parser.parse(text).cursor()
  do {
    if (nodes.length > 200_000) break
    const { node } = cursor
    nodes.push(node)
    if (node.name === 'ImportStatement') readImport(slice(node))
    if (node.name === 'AssignStatement' || node.name === 'NamedExpression') readAssignment(node)
    if (node.name === 'WithStatement' || node.name === 'ForStatement') readBinding(node)
  } while (cursor.next())
  spend(nodes.length * 50)

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

  function readAssignment(node: SyntaxNode): void {
    const target = node.firstChild
    const value = node.lastChild
    if (!target || !value || target.name !== 'VariableName' || target.from === value.from) return
    const name = slice(target)
    values.set(name, [...(values.get(name) ?? []), value].slice(0, 20))
  }

  function readBinding(node: SyntaxNode): void {
    const children = listChildren(node)
    const at = children.findIndex((child) => child.name === (node.name === 'ForStatement' ? 'in' : 'as'))
    const [target, value] =
      node.name === 'ForStatement'
        ? [children[at - 1], children[at + 1]]
        : [children[at + 1], children[at - 1]]
    if (at < 0 || !target || !value || target.name !== 'VariableName' || node.name !== 'ForStatement') return
    const elements = listElements(value)
    if (elements) values.set(slice(target), [...(values.get(slice(target)) ?? []), ...elements.slice(0, 20)])
  }

  /** Return the full name of what an expression names, such as `os.remove`; '' for other expressions. */
  function readName(node: SyntaxNode | null, depth = 0): string {
    if (!node || depth > 12) return ''
    if (node.name === 'VariableName') {
      const name = slice(node).normalize('NFKC')
      const imported = names.get(name)
      if (imported) return imported
      const [assigned] = (values.get(name) ?? []).filter(({ name: kind }) =>
        /^(MemberExpression|VariableName|CallExpression)$/.test(kind),
      )
      const followed = assigned && slice(assigned) !== name ? readName(assigned, depth + 3) : ''
      if (followed && !followed.endsWith('()')) return followed
      return hasStar && starred.test(name) ? starredName(name) : name
    }
    if (node.name === 'MemberExpression') {
      const object = node.firstChild
      const property = node.lastChild
      if (object && property?.name === 'PropertyName')
        return `${readName(object, depth + 1)}.${slice(property).normalize('NFKC')}`
      const key = object && listChildren(node)[2]
      const text = key ? readValue(key) : undefined
      return typeof text === 'string'
        ? `${readName(object, depth + 1).replace(/\.__dict__$|^vars\(\)$/, '')}.${text}`
        : ''
    }
    if (node.name === 'ParenthesizedExpression') return readName(listChildren(node)[1] ?? null, depth + 1)
    if (node.name !== 'CallExpression') return ''
    const name = readName(node.firstChild, depth + 1)
    const args = listArguments(node)
    const [first, second] = args
    if (/^(__import__|importlib\.import_module|import_module)$/.test(name)) return textOf(first) ?? '?'
    if (name === 'getattr') return `${readName(first ?? null, depth + 1)}.${textOf(second) ?? '?'}`
    if (/(^|\.)partial$/.test(name)) return readName(first ?? null, depth + 1)
    return `${name}()`
  }

  function starredName(name: string): string {
    if (name === 'rmtree') return 'shutil.rmtree'
    return /^(run|call|check_call|check_output|Popen|getoutput)$/.test(name)
      ? `subprocess.${name}`
      : `os.${name}`
  }

  function textOf(node: SyntaxNode | undefined): string | undefined {
    const value = node && readValue(node)
    return typeof value === 'string' ? value : undefined
  }

  /** Return the text or list that an expression gives, with marks for what is not known. */
  function readValue(node: SyntaxNode, depth = 0): Value {
    spend(20)
    if (depth > 20) return undefined
    const children = listChildren(node)
    switch (node.name) {
      case 'String':
        return decodeString(slice(node))
      case 'FormatString':
        return decodeFormat(slice(node))
      case 'ContinuedString':
        return children.map((child) => readValue(child, depth + 1) ?? unknownMark).join('')
      case 'ParenthesizedExpression':
        return children[1] && readValue(children[1], depth + 1)
      case 'Number':
        return slice(node)
      case 'ArrayExpression':
      case 'TupleExpression':
        return listElements(node)?.map((element) => readValue(element, depth + 1))
      case 'BinaryExpression': {
        const [left, operator, right] = children
        const a = left && readValue(left, depth + 1)
        const b = right && readValue(right, depth + 1)
        if (operator && slice(operator) === '%')
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
        const [only, ...others] = values.get(slice(node)) ?? []
        return only && others.length === 0 && only.to !== node.to
          ? readValue(only, depth + 4)
          : unknownMark + slice(node)
      }
      case 'CallExpression': {
        const callee = node.firstChild
        const property = callee?.name === 'MemberExpression' ? callee.lastChild : null
        const method = property ? slice(property) : ''
        const object = callee?.firstChild
        const args = listArguments(node)
        if (/^shlex\.split$/.test(readName(callee ?? null))) return textOf(args[0])?.split(/\s+/)
        if (object && method === 'split' && args.length === 0) return textOf(object)?.split(/\s+/)
        if (object && method === 'format')
          return textOf(object)?.replace(/\{[^}]*\}/g, () => textOf(args[0]) ?? unknownMark)
        if (object && /^(strip|lower|encode|decode)$/.test(method)) return readValue(object, depth + 1)
        if (object && method === 'join') {
          const list = args[0] && readValue(args[0], depth + 1)
          return Array.isArray(list)
            ? list.map((item) => item ?? unknownMark).join(textOf(object) ?? ' ')
            : unknownMark
        }
        if (readName(callee ?? null) === 'str' && args[0]) return readValue(args[0], depth + 1)
        return unknownMark
      }
      default:
        return undefined
    }
  }

  /** Report a function that deletes or executes, also one that is passed to another function. */
  function assessReference(node: SyntaxNode): void {
    const { parent } = node
    if (
      parent?.name === 'ImportStatement' ||
      (parent?.name === 'MemberExpression' &&
        parent.firstChild?.from !== node.from &&
        node.name === 'VariableName')
    )
      return
    if (
      node.name === 'VariableName' &&
      !names.has(slice(node)) &&
      !hasStar &&
      parent?.name !== 'CallExpression' &&
      parent?.name !== 'ArgList'
    )
      return
    if (parent?.name === 'AssignStatement' && parent.firstChild?.from === node.from) return
    const name = readName(node)
    for (const rule of functionRules) {
      if (!rule.name.test(name)) continue
      context.moveTo(node.from)
      const isCleanup =
        /\.(unlink|rmdir)$|^(os\.(remove|unlink|rmdir)|shutil\.rmtree)$/.test(name) && isTemporary(node, name)
      if (!isCleanup)
        context.add(rule.risk, `\`${name.replaceAll(unknownMark, '').slice(-60)}\` ${rule.reason}`)
      return
    }
  }

  /** Whether a call deletes only what `tempfile` made for the script. */
  function isTemporary(node: SyntaxNode, name: string): boolean {
    const call = node.parent?.name === 'CallExpression' ? node.parent : null
    const target = /^(os|shutil)\./.test(name) ? call && listArguments(call)[0] : node.firstChild
    if (target?.name !== 'VariableName') return false
    const assigned = values.get(slice(target)) ?? []
    return (
      assigned.length > 0 &&
      assigned.every((value) => /^(tempfile\.\w+\(|mkd?temp\(|mkstemp\(|Path\(tempfile\.)/.test(slice(value)))
    )
  }

  /** Report what a call executes. Return whether it starts a program that is not known. */
  function assessCall(call: SyntaxNode, name: string): boolean {
    const args = listArguments(call)
    const keywords = listKeywords(call, slice)
    const first = args[0] ?? keywords.get('args') ?? keywords.get('cmd') ?? keywords.get('command')
    const value = first && readValue(first)
    const isShell =
      shellFunctions.test(name) ||
      (programFunctions.test(name) && /^(True|1)$/.test(slice(keywords.get('shell') ?? { from: 0, to: 0 })))
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
    if (call.firstChild?.name === 'CallExpression')
      for (const rule of functionRules)
        if (rule.name.test(name)) context.add(rule.risk, `\`${name}\` ${rule.reason}`)
    if (!isShell && !programFunctions.test(name)) return false
    if (isShell) {
      const text = Array.isArray(value) ? value.map((item) => item ?? unknownMark).join(' ') : value
      if (text === undefined || new RegExp(`^${unknownMark}`, 'u').test(text.trim())) {
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
    const startsOwn = slice(first ?? call).includes('sys.executable')
    const rest = name.startsWith('os.spawn') ? words.slice(1) : words
    assessProgram(context, (startsOwn ? ['python', ...rest.slice(1)] : rest).map(toWord))
    return isUnknown(program) && !startsOwn
  }

  const isParameter = (text: string) => text.includes('stdin') || text.includes('argv')

  return { nodes, readName, assessReference, assessCall }
}

function listChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child && children.length < 5000; child = child.nextSibling)
    children.push(child)
  return children
}

/** Return the elements of a list or tuple, or undefined for other expressions. */
function listElements(node: SyntaxNode): SyntaxNode[] | undefined {
  if (!/^(ArrayExpression|TupleExpression)$/.test(node.name)) return undefined
  return listChildren(node).filter(({ name }) => !/^[[\](),]$/.test(name))
}

/** Return the arguments of a call that have no name. */
function listArguments(call: SyntaxNode): SyntaxNode[] {
  return splitArguments(call).flatMap(([first, sign]) => (first && sign?.name !== 'AssignOp' ? [first] : []))
}

/** Return the arguments of a call by their names. */
function listKeywords(call: SyntaxNode, slice: (node: SyntaxNode) => string): Map<string, SyntaxNode> {
  const keywords = new Map<string, SyntaxNode>()
  for (const [name, sign, value] of splitArguments(call))
    if (name && value && sign?.name === 'AssignOp') keywords.set(slice(name), value)
  return keywords
}

function splitArguments(call: SyntaxNode): SyntaxNode[][] {
  const list = call.getChild('ArgList')
  const groups: SyntaxNode[][] = [[]]
  for (const child of list ? listChildren(list).slice(1, -1) : []) {
    if (child.name === ',') groups.push([])
    else if (child.name !== '*' && child.name !== '**') groups.at(-1)?.push(child)
  }
  return groups
}

const stringSource = /^([a-zA-Z]{0,3})("""|'''|"|')(.*)\2$/s

function decodeString(literal: string): string {
  const [, prefix = '', , body = ''] = stringSource.exec(literal) ?? []
  return (/r/i.test(prefix) ? body : decodeEscapes(body, /b/i.test(prefix))) ?? unknownMark
}

function decodeFormat(literal: string): string {
  const [, , , body = ''] = stringSource.exec(literal) ?? []
  return body.replace(/\{\{/g, '{').replace(/\{[^{}]*\}/g, unknownMark)
}
