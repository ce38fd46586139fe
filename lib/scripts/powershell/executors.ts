/** Commands, types and methods that execute text, load code, or start another shell. Any text in their statement may be executed. */
const executors = new RegExp(
  [
    String.raw`(?<![\w-])(iex|invoke-expression|add-type|invoke-item|ii|invoke-script|import-module|ipmo`,
    'using|set-alias|new-alias|sal|nal|register-wmievent|invoke-wmimethod|iwmi|invoke-cimmethod|icim|new-service|sc|sc\\.exe|schtasks|schtasks\\.exe',
    'new-scheduledtaskaction|register-scheduledjob|wmic|wmic\\.exe|cmd|cmd\\.exe|wsl|wsl\\.exe|bash|sh|psexec|psexec64|psexec\\.exe|winrs|plink|mshta|rundll32',
    'regsvr32|cscript|wscript|forfiles|msbuild|installutil|python|python3|py|perl|ruby|node|set-psbreakpoint|register-argumentcompleter|set-item\\s+function',
    'new-item\\s+function|function:|alias:|invoke-history|r|ihy|update-typedata|update-formatdata|register-objectevent|set-psreadlinekeyhandler|get-variable|gv',
    'get-command|gcm|get-alias|gal|new-object|start-job|start-threadjob)(?![\\w-])',
  ].join('|'),
  'i',
)
const methods =
  /scriptblock\]?\s*::\s*create|\[?scriptblock\]|newscriptblock|invokescript|expandstring|invokecommand|addscript|addcommand|\.invoke\b|::invoke|invokemember|getmethod|gettype\s*\(|assembly\]?\s*::|loadfrom|loadfile|loadwithpartialname|diagnostics\.process|::start\s*\(|shellexecute|wscript\.shell|shell\.application|getdelegate|activator|csharpcodeprovider|powershell\]\s*::|runspace|executioncontext|\[type\]|-as\s+\[?type|foreach-object\s+(-membername|-m\w*)|%\s+-m\w*|\.psobject\.|convertto-scriptblock/i
/** `new-object` and jobs may take values, but no text may name the type or be the code. */
const takesValues =
  /(?<![\w-])(new-object|start-job|start-threadjob|get-command|gcm|import-module|ipmo|new-service|get-variable|gv)(?![\w-])/i
const shells = /(?<![\w-])(powershell|pwsh)(\.exe)?(?![\w-])/i
const remoteShells = /^\s*(ssh|ssh\.exe)\s+(.*)$/is

/** Return the part of a statement that is executed, `all` for the whole statement, or undefined. */
export function findExecutor(text: string): string | undefined {
  if (methods.test(text)) return 'all'
  const isStrict = executors.test(text.replace(new RegExp(takesValues.source, 'gi'), ' '))
  if (isStrict) return 'all'
  const taking = takesValues.exec(text)
  if (taking) return getNamedValue(text, taking)
  if (shells.test(text)) return findShellText(text)
  const remote = remoteShells.exec(text)
  if (remote) return remote[2]?.trim().replace(/^\S+/, '')
  return findStartedProgram(text)
}

/** Return the name that a cmdlet resolves: its first argument, or the value of an option that names code. */
function getNamedValue(text: string, match: RegExpExecArray): string {
  const rest = text.slice(match.index + match[0].length)
  const options = [
    ...rest.matchAll(
      /-(typename|type|comobject|strict|scriptblock|filepath|initializationscript|name|binarypathname|fullyqualifiedname|module|literalpath)[\s:]+(\S+)/gi,
    ),
  ]
  const values = options
    .filter(([, option = '']) => !(option.toLowerCase() === 'name' && /new-service/i.test(match[0])))
    .map(([, , value]) => value)
  const isNewService = /new-service/i.test(match[0])
  return isNewService ? values.join(' ') : [/^\s+([^\s-]\S*)/.exec(rest)?.[1] ?? '', ...values].join(' ')
}

/** Arguments may follow -File with a fixed name. */
function findShellText(text: string): string {
  const match = shells.exec(text)
  const rest = text.slice((match?.index ?? 0) + (match?.[0].length ?? 0))
  const file = /^(.*?)-f(?:ile)?\s+("[^"$]*"|'[^']*'|[\w.:\\/-]+)\s/is.exec(rest)
  return file ? (file[1] ?? '') : 'all'
}

const starter = /(?<![\w-])(start-process|saps|start)(?![\w-])/i
const harmlessPrograms =
  /^\s*(?:-filepath\s+)?["']?(?:[^\s"']*[\\/])?(msiexec|net|sc|robocopy|gpupdate|notepad|icacls|setup|taskkill|shutdown|reg|dism|sfc|chkdsk|winget|choco|w32tm|ipconfig|nltest|explorer|mstsc)(\.exe)?["']?(\s|$)/i

/** Start-Process takes the program from its first argument. Only known programs may have text in their arguments. */
function findStartedProgram(text: string): string | undefined {
  const match = starter.exec(text)
  if (!match) return undefined
  const rest = text.slice(match.index + match[0].length)
  return harmlessPrograms.test(rest) ? undefined : 'all'
}
