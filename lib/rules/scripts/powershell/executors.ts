import { executingVariable } from '#rules/scripts/bash/rules.ts'

/**
 * Commands, types and methods that execute text, load code, or start another shell. Any text in their
 * statement may be executed.
 */
const executors = new RegExp(
  [
    String.raw`(?<![\w-])(iex|invoke-expression|add-type|invoke-item|ii|invoke-script`,
    'using|set-alias|new-alias|sal|nal|register-wmievent|invoke-wmimethod|iwmi|invoke-cimmethod|icim|sc|sc\\.exe|schtasks|schtasks\\.exe',
    'set-wmiinstance|swmi',
    'new-scheduledtaskaction|register-scheduledjob|wmic|wmic\\.exe|cmd|cmd\\.exe|wsl|wsl\\.exe|bash|sh|psexec|psexec64|psexec\\.exe|winrs|plink|mshta|rundll32',
    'regsvr32|cscript|wscript|forfiles|msbuild|installutil|python|python3|py|perl|ruby|node|set-psbreakpoint|register-argumentcompleter|set-item\\s+function',
    'zsh|dash|ksh|fish|csh|tcsh|busybox|runas|pcalua|conhost|wt|osascript|lua|php',
    'new-item\\s+function|invoke-history|ihy|update-typedata|update-formatdata|register-objectevent|set-psreadlinekeyhandler)(?![\\w-])',
    '(?<![\\w-])(function|alias):',
    '(?:^|[|;({&])\\s*r\\s',
  ].join('|'),
  'i',
)
const methods =
  /scriptblock\]?\s*::\s*create|\[?scriptblock\]|newscriptblock|invokescript|expandstring|invokecommand|addscript|addcommand|\.invoke\b|::invoke|invokemember|getmethod|gettype\s*\(|assembly\]?\s*::|loadfrom|loadfile|loadwithpartialname|appdomain|loadcontext|diagnostics\.process|::start\s*\(|startinfo|shellexecute|invokeverb|wscript\.shell|shell\.application|scriptcontrol|executestatement|addcode|\.(?:eval|exec|run)\s*\(|wmiclass|win32_process\b|eventconsumer|getdelegate|activator|codeprovider|interaction\]?\s*::|xamlreader|trustedxslt|(?:binary|soap|los|objectstate)formatter|powershell\]\s*::|runspace|executioncontext|\[(?:system\.)?type\]|-as\s+\[?["']?type|(?:foreach-object|foreach|%)\s+(?:-m\w*|\u{f0000}|\$|["'])|\.psobject\.|convertto-scriptblock|psdefaultparametervalues|\$profile\b/iu
/** Places of the registry whose values are executed later. */
const autorun =
  /currentversion[\\/](?:run|image file execution options|winlogon|windows\b)|shell[\\/]open[\\/]command|imagepath|appinit_dlls|scrnsave/i
/** Cmdlets that may take values, with their options that name a type, a command or code. */
const namingOptions: Readonly<Record<string, readonly string[]>> = {
  'new-object': ['typename', 'comobject', 'strict'],
  'start-job': ['scriptblock', 'filepath', 'literalpath', 'initializationscript', 'definitionname', 'type'],
  'start-threadjob': ['scriptblock', 'filepath', 'initializationscript'],
  'get-command': ['name', 'module', 'fullyqualifiedmodule'],
  'import-module': ['name', 'fullyqualifiedname', 'assembly', 'moduleinfo'],
  'new-service': ['binarypathname'],
  'get-variable': ['name'],
  'invoke-command': ['scriptblock', 'filepath'],
  'invoke-sqlcmd': ['query', 'inputfile', 'variable'],
}
const aliases: Readonly<Record<string, string>> = {
  gcm: 'get-command',
  ipmo: 'import-module',
  gv: 'get-variable',
  icm: 'invoke-command',
}
/** Their first argument is a label, a block or the name of a computer. */
const hasPlainArgument = new Set(['new-service', 'invoke-command', 'start-job', 'start-threadjob'])
const takesValues = new RegExp(
  String.raw`(?<![\w-])(${[...Object.keys(namingOptions), ...Object.keys(aliases)].join('|')})(?![\w-])`,
  'gi',
)
const shells = /(?<![\w-])(powershell|pwsh)(\.exe)?(?![\w-])/gi
const starter = /(?<![\w-])(?:start-process|saps)(?![\w-])|(?:^|[|;({=&])\s*start(?=\s)/gi
const variableSetters =
  /(?:\$\{?env:|(?<![\w-])env:[\\/]?|(?<![\w-])setx\s+|setenvironmentvariable\s*\(\s*["']?)(\w+)(?=\}?\s*(?:[-+]?=|["',]|-v\w*\s|\s))/gi

const maxMatches = 20

/** Return the parts of a statement that are executed. */
export function findExecutedParts(text: string): string[] {
  // Quotes and backticks inside the name of a command have no meaning.
  const unquoted = text.replace(/[`'"‘’‚‛“”„]/g, '')
  const isExecuted = [text, unquoted].some((variant) =>
    [executors, methods, autorun].some((pattern) => pattern.test(variant)),
  )
  if (isExecuted || setsExecutingVariable(text)) return [text]
  const matches = [takesValues, shells, starter].map((pattern) => [...text.matchAll(pattern)])
  if (matches.flat().length > maxMatches) return [text]
  const [takers = [], shellNames = [], starters = []] = matches
  const after = (match: RegExpExecArray) => text.slice(match.index + match[0].length)
  return [
    ...takers.map((match) => getNamedValue(match[0], after(match))),
    ...shellNames.map((match) => getShellText(after(match)) ?? text),
    ...starters.flatMap((match) => (harmlessPrograms.test(after(match)) ? [] : [text])),
  ]
}

/** Return whether a text assigns an environment variable that decides what is executed. */
function setsExecutingVariable(text: string): boolean {
  return [...text.matchAll(variableSetters)].some(([, name = '']) =>
    /^(psmodulepath|pathext|comspec)$/i.test(name) ? true : executingVariable.test(name.toUpperCase()),
  )
}

/**
 * Return the name that a cmdlet resolves: its first argument, or the value of an option that names code.
 * Options may be shortened.
 */
function getNamedValue(command: string, rest: string): string {
  const name = aliases[command.toLowerCase()] ?? command.toLowerCase()
  const naming = namingOptions[name] ?? []
  const options = [...rest.matchAll(/\s-(\w+)[\s:]+(\S+)/g)]
  const values = options
    .filter(([, option = '']) => naming.some((known) => known.startsWith(option.toLowerCase())))
    .map(([, , value]) => value)
  return [hasPlainArgument.has(name) ? '' : /^\s+([^\s-][^\s(]*)/.exec(rest)?.[1], ...values].join(' ')
}

/**
 * Return what a shell executes, or undefined for all of its arguments. Arguments may follow -File with a
 * fixed name.
 */
function getShellText(rest: string): string | undefined {
  return /^(.*?)-f(?:ile)?\s+("[^"$]*"|'[^']*'|[\w.:\\/-]+)\s/is.exec(rest)?.[1]
}

/**
 * Start-Process takes the program from its first argument. Only known programs may have text in their
 * arguments.
 */
const harmlessPrograms =
  /^\s*(?:-filepath\s+)?["']?(?:[^\s"']*[\\/])?(msiexec|net|sc|robocopy|gpupdate|notepad|icacls|setup|taskkill|shutdown|reg|dism|sfc|chkdsk|winget|choco|w32tm|ipconfig|nltest|explorer|mstsc)(\.exe)?["']?(\s|$)/i
