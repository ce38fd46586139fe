import { deletesFiles, type FoundRisk } from './findings.ts'

// What the commands and methods of PowerShell can do.

/** https://learn.microsoft.com/powershell/scripting/learn/shell/using-aliases */
export const aliases: Readonly<Record<string, string>> = {
  ri: 'remove-item',
  rm: 'remove-item',
  rmdir: 'remove-item',
  rd: 'remove-item',
  del: 'remove-item',
  erase: 'remove-item',
  rp: 'remove-itemproperty',
  clc: 'clear-content',
  cli: 'clear-item',
  clp: 'clear-itemproperty',
  iex: 'invoke-expression',
  iwr: 'invoke-webrequest',
  irm: 'invoke-restmethod',
  curl: 'invoke-webrequest',
  wget: 'invoke-webrequest',
  icm: 'invoke-command',
  saps: 'start-process',
  start: 'start-process',
  spsv: 'stop-service',
  spps: 'stop-process',
  kill: 'stop-process',
  sc: 'set-content',
  sp: 'set-itemproperty',
  si: 'set-item',
  sal: 'set-alias',
  nal: 'new-alias',
  rwmi: 'remove-wmiobject',
  iwmi: 'invoke-wmimethod',
  icim: 'invoke-cimmethod',
  rcim: 'remove-ciminstance',
  '%': 'foreach-object',
  foreach: 'foreach-object',
  '?': 'where-object',
  sajb: 'start-job',
  rvpa: 'resolve-path',
}

interface CmdletRule {
  name: RegExp
  risk: FoundRisk
  reason: string
  /** What the arguments, joined by spaces, must match. */
  when?: RegExp
  unless?: RegExp
}

/** Commands of these verbs that change nothing but the session of PowerShell, its output or a cache. */
const harmless =
  /^(remove-(variable|pssession|module|job|psdrive|typedata|psbreakpoint|event|cimsession|pssnapin|alias|smbmapping|printjob|psreadlinekeyhandler|dnsclientcache|formatdata)|clear-(host|variable|history|dnsclientcache|dnsservercache|arpcache)|format-(table|list|wide|custom|hex|xml)|disable-(psbreakpoint|runspacedebug)|stop-(job|transcript|process|threadjob)|set-(variable|location|psdebug|strictmode|content|item|itemproperty|alias|psbreakpoint|psreadlineoption|date|timezone|culture|clipboard|printer|printconfiguration|service)|reset-(dnsservercache))$/

const accountNouns =
  // Bounded: by maxNameLength.
  /(ad\w*|local(user|group)|mg\w+|azuread\w*|msol\w*|entra\w*|mailbox\w*|\w*user|\w*group|\w*role\w*|aduser|distributiongroup|unifiedgroup|team\w*|spo\w+|pnp\w+|gp\w+|contact|mailuser|account)/
const deletes = 'deletes'
const changesAccounts = 'changes accounts, groups, passwords or their rights'
const shutsDown = 'shuts a computer down or restarts it'

const rules: readonly CmdletRule[] = [
  { name: /^remove-item$/, risk: 'medium', reason: deletesFiles },
  { name: /^remove-itemproperty$/, risk: 'medium', reason: 'deletes settings' },
  {
    name: /^(remove|clear)-item(property)?$/,
    risk: 'high',
    reason: 'deletes from the registry',
    when: /\b(hk(lm|cu|cr|u|cc)|registry):/i,
  },
  { name: /^remove-(itemproperty|item)$/, risk: 'high', reason: 'deletes certificates', when: /\bcert:/i },
  {
    // Bounded: by maxNameLength.
    name: new RegExp(
      `^remove-(${accountNouns.source}|vm\\w*|az\\w+|partition|virtualdisk|storagepool|volume\\w*|computer|cluster\\w*|dhcpserver\\w*|dnsserver\\w*|certificate\\w*|wmiobject|ciminstance|\\w*snapshot|\\w*backup\\w*|windowsfeature|appx\\w*|bitlocker\\w*|iscsi\\w*|smbshare|share\\w*|ec2\\w+|s3\\w+|sql\\w+|database\\w*)$`,
    ),
    risk: 'high',
    reason: deletes,
  },
  { name: /^remove-/, risk: 'medium', reason: deletes },
  { name: /^remove-/, risk: 'high', reason: 'deletes whatever it is given', when: /^\u{f8ff}fed /u },
  {
    name: /^(uninstall|unpublish|unregister)-/,
    risk: 'medium',
    reason: 'removes software, features or scheduled jobs',
  },
  {
    name: /^uninstall-(addsdomaincontroller|windowsfeature|addsforest)/,
    risk: 'high',
    reason: 'removes a role of the server',
  },
  {
    name: /^clear-(eventlog|disk|tpm|bitlocker\w*|recyclebin|cluster\w*|adaccount\w*)$/,
    risk: 'high',
    reason: 'deletes logs, data or keys',
  },
  { name: /^clear-/, risk: 'medium', reason: 'deletes content' },
  { name: /^(limit|remove)-eventlog$/, risk: 'high', reason: 'deletes logs' },
  {
    name: /^(format-volume|initialize-disk|new-partition|resize-partition|set-partition|set-disk|reset-physicaldisk|new-volume|new-virtualdisk|repair-volume|optimize-storagepool|convert-vhd|resize-vhd|dismount-\w+|clear-disk)$/,
    risk: 'high',
    reason: 'formats, partitions or overwrites a disk',
    unless: /-scan\b/i,
  },
  {
    // Bounded: by maxNameLength.
    name: new RegExp(
      `^disable-(${accountNouns.source}|netfirewallrule|bitlocker\\w*|mp\\w*|windowserrorreporting|computerrestore|inboxrule|transportrule|dlp\\w*|wsmancredssp|tpm\\w*)$`,
    ),
    risk: 'high',
    reason: 'disables accounts or protection',
  },
  {
    name: /^(disable|suspend|revoke|block|lock|dismount|deny)-/,
    risk: 'medium',
    reason: 'disables or takes something away',
  },
  { name: /^suspend-bitlocker$/, risk: 'high', reason: 'disables encryption' },
  { name: /^(stop|restart)-computer$/, risk: 'medium', reason: shutsDown },
  {
    name: /^(stop|suspend|restart|reset|save)-(vm\w*|az\w+|cluster\w*|ec2\w+)$/,
    risk: 'medium',
    reason: 'stops or restarts virtual machines or resources',
  },
  { name: /^set-service$/, risk: 'medium', reason: 'disables a service', when: /-startuptype:? ?disabled/i },
  {
    name: /^(set|add)-mppreference$/,
    risk: 'high',
    reason: 'weakens the protection against malware',
    when: /-(disable|exclusion|enable\w+(?!\w):? ?(?:(?!-enable)\S)*?(false|0|disabled)|\w*defaultaction|maps|puaprotection|attacksurface)/i,
  },
  {
    name: /^set-netfirewallprofile$/,
    risk: 'high',
    reason: 'disables the firewall',
    when: /-enabled:? ?(?:(?!-enabled)\S)*?(false|0)/i,
  },
  {
    name: /^(set|new|add|enable|rename|copy|disable|remove)-netfirewall\w+$/,
    risk: 'medium',
    reason: 'changes the firewall',
  },
  { name: /^remove-netfirewall\w+$/, risk: 'high', reason: 'changes the firewall' },
  {
    name: /^set-executionpolicy$/,
    risk: 'medium',
    reason: 'changes which scripts may run',
    unless: /-scope:? process/i,
  },
  {
    // Bounded: by maxNameLength.
    name: /^(new|set|add|update|enable|unlock|reset|rename|move|restore|grant|invoke)-(ad\w+|local(user|group\w*)|mg\w*(user|group|role|member|password|application|principal|directory|device)\w*|azuread\w+|msol\w+|entra\w+|mailbox\w*|\w*permission|casmailbox|inboxrule|distributiongroup\w*|unifiedgroup\w*|remotemailbox|transportrule|managementroleassignment|rolegroupmember|spouser|spotenant|pnpuser\w*|user|computermachinepassword|azrole\w+|azaduser|aduserpassword)$/,
    risk: 'medium',
    reason: changesAccounts,
    unless: /^-identity \S+ *$/i,
  },
  {
    name: /^add-(local|ad)groupmember|add-adprincipalgroupmembership|add-\w*rolemember|new-\w*roleassignment/,
    risk: 'high',
    reason: 'gives administrator rights',
    when: /(administrator|admins?\b|administratoren|backup operators|account operators|owner|contributor)/i,
  },
  {
    name: /^(set-acl|set-smbshare\w*|grant-smbshareaccess|new-smbshare|set-azkeyvaultaccesspolicy)$/,
    risk: 'medium',
    reason: 'changes who may use files',
  },
  {
    name: /^(add-computer|rename-computer|reset-computermachinepassword|join-\w+|test-computersecurechannel|set-addefaultdomain\w+)$/,
    risk: 'medium',
    reason: 'changes the membership of a domain',
    unless: /^$/,
  },
  {
    name: /^(enable-bitlocker\w*|backup-bitlocker\w*|unlock-bitlocker|lock-bitlocker|add-bitlocker\w*|resume-bitlocker|initialize-tpm|import-tpm\w*|set-tpm\w*|unblock-tpm|import-(pfx)?certificate|export-pfxcertificate|remove-bitlocker\w*|invoke-commandinbitlocker|protect-cmsmessage)$/,
    risk: 'high',
    reason: 'changes or copies keys, certificates or encryption',
  },
  {
    name: /^(set-windowsedition|repair-windowsimage|disable-windowsoptionalfeature|remove-windows\w+|set-bcd\w+|checkpoint-computer|restore-computer|reset-windows\w*)$/,
    risk: 'medium',
    reason: 'changes or restores the system',
  },
  { name: /^(invoke-(wmi|cim)method)$/, risk: 'medium', reason: shutsDown, when: /shutdown|reboot/i },
  {
    name: /^(invoke-(wmi|cim)method)$/,
    risk: 'high',
    reason: 'deletes or starts through WMI',
    when: /\b(delete\w*|create|uninstall|terminate|format|clear\w*|setpassword|rename)\b/i,
  },
  { name: /^set-(wmi|cim)instance$/, risk: 'medium', reason: 'changes settings of the system' },
  { name: /^clear-content$/, risk: 'medium', reason: 'empties files' },
  {
    name: /^(invoke-sqlcmd|invoke-sqlquery|invoke-dbaquery)$/,
    risk: 'high',
    reason: 'deletes or changes data',
    when: /\b(drop|delete|truncate|alter (login|user)|xp_cmdshell|update \S+ set)\b/i,
  },
  {
    name: /^(start|resume)-(addomaincontroller|clusterresource)\w*$/,
    risk: 'medium',
    reason: 'moves resources',
  },
  { name: /^move-(addirectory\w+|clustergroup|vm)$/, risk: 'medium', reason: 'moves roles or resources' },
  {
    name: /^(send-keys|set-psdebug|enable-psremoting|enable-wsmancredssp|set-wsmaninstance|set-remotedesktop\w*)$/,
    risk: 'medium',
    reason: 'opens the computer to others',
  },
  {
    name: /^(invoke-restmethod|invoke-webrequest)$/,
    risk: 'medium',
    reason: 'deletes at an address',
    when: /-m(e\w*)?:? ?delete\b/i,
  },
  {
    name: /^(set|new)-dns\w*|set-dnsclientserveraddress$/,
    risk: 'medium',
    reason: 'changes name resolution',
    when: /^$|resourcerecord/i,
  },
]

/** No command of PowerShell has a longer name. */
const maxNameLength = 200

/** Return what a command can do. `text` are its arguments, joined by spaces. */
export function findCmdletRules(name: string, text: string): { risk: FoundRisk; reason: string }[] {
  if (name.length > maxNameLength) return []
  const found = rules.filter(
    (rule) => rule.name.test(name) && (!rule.when || rule.when.test(text)) && !rule.unless?.test(text),
  )
  return harmless.test(name) ? found.filter(({ when }) => when) : found
}

/** Methods of .NET, by the text before the bracket. */
const methods: readonly { name: RegExp; risk: FoundRisk; reason: string }[] = [
  { name: /(::|\.)delete$/i, risk: 'medium', reason: deletesFiles },
  { name: /directory\]?::delete$/i, risk: 'high', reason: deletesFiles },
  {
    name: /\.(deletetree|deleteall|deletesubkey|deletesubkeytree|deletevalue)$/i,
    risk: 'high',
    reason: 'deletes from the registry or a directory',
  },
  { name: /(\.|::)(deletefile|deletefolder|deletedirectory)$/i, risk: 'high', reason: deletesFiles },
  {
    name: /\.(setpassword|changepassword|unlockaccount|setinfo|commitchanges|enableaccount|disableaccount)$/i,
    risk: 'medium',
    reason: changesAccounts,
  },
  { name: /\.(win32shutdown|win32shutdowntracker|reboot|shutdown)$/i, risk: 'medium', reason: shutsDown },
  {
    name: /\.(format|formatdisk|clearlog|cleareventlog)$/i,
    risk: 'high',
    reason: 'formats a disk or deletes a log',
  },
  {
    name: /(scriptblock\]?::create|\.invokescript|\.newscriptblock|\.invokecommand\.\w+|\.addscript|::loadfile|assembly\]?::load\w*|\.invokereturnasis|::getdelegateforfunctionpointer|::getdelegate\w*)$/i,
    risk: 'high',
    reason: 'executes text that the script computes or reads',
  },
  { name: /\.invoke$/i, risk: 'medium', reason: 'executes a method or block that the script computes' },
  {
    name: /\.(disable|uninstall|terminate|changestartmode|stopservice)$/i,
    risk: 'medium',
    reason: 'disables or removes something',
  },
]

export function findMethodRules(name: string): { risk: FoundRisk; reason: string }[] {
  return methods.filter((rule) => rule.name.test(name))
}
