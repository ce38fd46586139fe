import { deletesFiles, type FoundRisk, needsAdministrator, securityServiceName } from './findings.ts'
import { either, inOrder } from './patterns.ts'

// What programs of Linux, macOS and Windows can do, by their name and arguments.

export interface ProgramRule {
  risk: FoundRisk | 'elevation'
  reason: string
  /** What the arguments, joined by spaces, must match. */
  when?: RegExp
  /** What they must not match. */
  unless?: RegExp
}

const help = /(^| )(--help|--version|-\?|\/\?)( |$)/
const writesDisk = 'formats, partitions or overwrites a disk'
const changesAccount = 'changes accounts, groups or passwords'
const changesAdmins = 'gives or takes administrator rights'
const deletesAccount = 'deletes or disables accounts or groups'
const changesFirewall = 'changes the firewall'
const disablesFirewall = 'disables or empties the firewall'
const disablesSecurity = 'disables protection or its log'
const disables = 'disables a service, an interface or a feature'
const shutsDown = 'shuts a computer down or restarts it'
const changesBoot = 'changes how the computer starts'
const changesKeys = 'changes or deletes keys, certificates or encryption'
const uninstalls = 'removes software'
const deletesHistory = 'deletes logs, history or backups'
const deletesData = 'deletes data'
const deletesResources = 'deletes resources of a cloud or cluster'
const stopsResources = 'stops or replaces resources of a cloud or cluster'
const changesRegistry = 'changes settings of the registry that protect the computer'
const deletesRegistry = 'deletes from the registry'
const changesPermissions = 'changes who may use files'

const rules = new Map<string, ProgramRule[]>()

function add(
  names: string,
  risk: ProgramRule['risk'],
  reason: string,
  when?: RegExp,
  unless: RegExp = help,
): void {
  for (const name of names.split(' '))
    rules.set(name, [...(rules.get(name) ?? []), { risk, reason, unless, ...(when ? { when } : {}) }])
}

export const protectedRegistryValue = either(
  /DisableAntiSpyware|DisableAntiVirus|DisableRealtimeMonitoring|DisableBehaviorMonitoring|TamperProtection|EnableLUA|ConsentPromptBehaviorAdmin|EnableFirewall|LocalAccountTokenFilterPolicy|RunAsPPL|Image File Execution Options|CurrentVersion\\Run|\\Winlogon|UseLogonCredential|NoAutoUpdate|fDenyTSConnections|SafeBoot|SystemRestore|DisableSR|EnableScriptBlockLogging|SpecialAccounts|LmCompatibilityLevel|NoLMHash|\\Lsa\b/i,
  inOrder(/\\Services\\[^ ]/i, / (Start|ImagePath)\b/i),
)

// Files
add('rm', 'medium', deletesFiles)
add('rm', 'high', deletesFiles, /(^| )(-(?=\w*[rR])\w+|--recursive|--no-preserve-root)( |$)|[*?]/)
add('unlink rmdir', 'medium', deletesFiles)
add('shred srm wipe scrub sdelete sdelete64 eraser', 'high', deletesFiles)
add('truncate', 'medium', deletesFiles)
add('find', 'high', deletesFiles, /(^| )-delete( |$)/)
add('fd fdfind', 'high', deletesFiles, /(^| )(-x|-X|--exec|--exec-batch) (rm|shred|unlink)( |$)/)
add('del erase', 'medium', deletesFiles)
add('del erase', 'high', deletesFiles, /(^| )\/[sS]\b|[*]/)
add('rd', 'medium', deletesFiles)
add('rd rmdir', 'high', deletesFiles, /(^| )\/[sS]\b/)
add('deltree', 'high', deletesFiles)
add('rsync', 'medium', deletesFiles, /--(delete\S*|remove-source-files)/)
add('robocopy', 'medium', deletesFiles, /(^| )\/(mir|purge|move|mov)\b/i)
add('mv', 'high', deletesFiles, / \/dev\/null$/)
add(
  'git',
  'medium',
  deletesFiles,
  either(
    /(^| )(filter-branch|checkout (-f|--force))/,
    inOrder(/(^| )clean(?= )/, / -\w*f/),
    inOrder(/(^| )reset(?= )/, / --hard/),
    inOrder(/(^| )push(?= )/, / (--force|-f|--delete|--mirror)/),
    inOrder(/(^| )branch(?= )/, / -D/),
  ),
)
add(
  'chmod',
  'high',
  changesPermissions,
  either(
    /(^| )([0-7]*[4267][0-7]{3}|[ugoa]*\+[rwx]*[st])( |$)/,
    inOrder(/-[^\WR]*R/, / (\/|\/(etc|usr|bin|sbin|lib|var|boot|home|root)\/?)( |$)/),
  ),
)
add('chmod', 'medium', changesPermissions, /(^| )(0?[0-7]?[0-7]7|0?777|[oa]*\+(?=\w*w)\w+)( |$)/)
add(
  'chown chgrp',
  'high',
  changesPermissions,
  inOrder(/-[^\WR]*R/, / (\/|\/(etc|usr|bin|sbin|lib|var|boot|root)\/?)( |$)/),
)
add(
  'icacls',
  'medium',
  changesPermissions,
  /\/(grant|deny|remove|setowner|reset|inheritance|setintegritylevel)/i,
)
add('icacls cacls', 'high', changesPermissions, inOrder(/everyone|jeder|S-1-1-0|authenticated users/i, /F/i))
add('takeown setfacl cacls xcacls', 'medium', changesPermissions)
add('chattr', 'medium', changesPermissions)
add('visudo', 'high', changesAdmins)

// Disks
add(
  'mkfs mke2fs mkswap newfs newfs_hfs wipefs blkdiscard badblocks diskpart format format.com cfdisk luksformat',
  'high',
  writesDisk,
  undefined,
  /(^| )(--help|--version|-V|-n|--no-act)( |$)|badblocks$/,
)
add(
  'fdisk sfdisk parted gdisk sgdisk cgdisk',
  'high',
  writesDisk,
  undefined,
  /(^| )(-l|--list|-p|--print|print|-d|--dump|-V|--version|--help)( |$)/,
)
add('dd', 'high', writesDisk, /(^| )of=(\/dev\/(?!null|stdout|stderr)|\\\\|\u{f8ff})/u)
add('hdparm', 'high', writesDisk, /--(security|trim|write|make-bad|yes-i-know)/)
add('nvme', 'high', writesDisk, /(^| )(format|sanitize|delete-ns|write\S*|reset)( |$)/)
add('lvremove vgremove pvremove lvreduce vgreduce zerofree', 'high', deletesData)
add('lvm', 'high', deletesData, /(remove|reduce)/)
add('mdadm', 'high', writesDisk, /--(zero-superblock|stop|remove|fail|create|grow)|(^| )-[SrfCG]/)
add('zpool zfs', 'high', deletesData, /(^| )(destroy|labelclear|rollback|detach|offline|remove)( |$)/)
add('btrfs', 'high', deletesData, /(^| )(delete|remove)( |$)/)
add(
  'diskutil',
  'high',
  writesDisk,
  /(^| )(erase\w+|secureerase|partitiondisk|zerodisk|randomdisk|reformat|delete\w*|deletecontainer|deletevolume|splitpartition|mergepartitions)/i,
)
add(
  'cryptsetup',
  'high',
  changesKeys,
  undefined,
  /(^| )(status|luksDump|isLuks|open|luksOpen|close|--help|--version)( |$)/,
)
add('cipher', 'high', changesKeys, /(^| )\/(w|e|d|k|r)\b/i)
add(
  'manage-bde',
  'high',
  changesKeys,
  undefined,
  either(/-(status|unlock)\b|(^| )-\?/i, inOrder(/-protectors\b/i, /-get\b/i)),
)
add(
  'fdesetup',
  'high',
  changesKeys,
  /(^| )(disable|enable|remove|changerecovery|removerecovery|destroy\w*|authrestart)/,
)
add('vssadmin', 'high', deletesHistory, /delete|resize/i)
add('wbadmin', 'high', deletesHistory, /delete|disable/i)
add('wmic', 'high', deletesHistory, /delete/i)
add('wmic', 'medium', shutsDown, inOrder(/call|where/i, /reboot|shutdown/i))
add('wmic', 'high', uninstalls, /call uninstall/i)
add('wmic', 'high', 'starts a process', /process call create/i)
add('wmic', 'medium', changesAccount, inOrder(/useraccount/i, /\bset\b/i))
add('wevtutil', 'high', deletesHistory, /(^| )(cl|clear-log|sl|set-log)( |$)/i)
add(
  'fsutil',
  'high',
  deletesData,
  /(deletejournal|setzerodata|reparsepoint delete|file setvaliddata|dirty set)/i,
)
add('history', 'medium', deletesHistory, /(^| )-\w*[cd]/)
add('journalctl', 'medium', deletesHistory, /--(vacuum|rotate)/)
add('crontab', 'high', 'deletes or disables scheduled jobs', /(^| )-\w*r/)
add(
  'schtasks',
  'medium',
  'deletes or disables scheduled jobs',
  either(/(^| )\/(delete|disable|end)\b/i, inOrder(/\/change/i, /\/disable/i)),
)
add(
  'restic borg duplicity kopia',
  'high',
  deletesHistory,
  /(^| )(forget|prune|delete|remove-\S+|key remove)( |$)/,
)

// Services, protection, firewall
add('systemctl', 'medium', disables, /(^| )(disable|mask|isolate|set-default|kill)( |$)/)
add(
  'systemctl',
  'medium',
  shutsDown,
  /(^| )(reboot|poweroff|halt|kexec|suspend|hibernate|rescue|emergency|soft-reboot)( |$)/,
)
add(
  'systemctl service rc-service net sc',
  'high',
  disablesSecurity,
  either(
    inOrder(/(^| )(stop|disable|mask|kill|pause|delete|config)\b/i, securityServiceName),
    inOrder(securityServiceName, / (stop|disable)( |$)/i),
  ),
)
add('chkconfig', 'medium', disables, /(^| )(off|--del)( |$)/)
add('update-rc.d rc-update', 'medium', disables, /(^| )(disable|remove|del|delete)( |$)/)
add('insserv', 'medium', disables, /-r/)
add('launchctl', 'medium', disables, /(^| )(unload|bootout|disable|remove|kill|reboot)( |$)/)
add('sc', 'medium', disables, either(/(^| )delete( |$)/i, inOrder(/(^| )config(?= )/i, /start= ?disabled/i)))
add('setenforce', 'high', disablesSecurity, /(^| )(0|permissive)( |$)/i)
add('aa-teardown aa-disable aa-complain', 'high', disablesSecurity)
add('semodule', 'high', disablesSecurity, /(^| )-\w*[rd]/)
add('setsebool', 'medium', disablesSecurity)
add('auditctl', 'high', disablesSecurity, /(^| )(-e 0|-D)( |$)/)
add('csrutil spctl', 'high', disablesSecurity, /disable/)
add('tmutil', 'high', deletesHistory, /(^| )(delete\w*|disable\w*)/)
add('mdatp falconctl sentinelctl', 'high', disablesSecurity, /(disable|disabled|unload|uninstall|-d)\b/)
add('mpcmdrun', 'high', disablesSecurity, /-(RemoveDefinitions|Restore)/i)
add('auditpol', 'high', disablesSecurity, /\/(clear|remove|restore)|disable/i)
add('fltmc', 'high', disablesSecurity, /unload/i)
add('ufw', 'high', disablesFirewall, /(^| )(disable|reset)( |$)/)
add(
  'ufw',
  'medium',
  changesFirewall,
  /(^| )(allow|deny|reject|limit|delete|default|enable|insert|route)( |$)/,
)
add(
  'iptables ip6tables ebtables arptables',
  'high',
  disablesFirewall,
  /(^| )(-F|--flush|-X|--delete-chain|-Z|-P \w+ ACCEPT|--policy \w+ ACCEPT)( |$)/,
)
add(
  'iptables ip6tables ebtables arptables',
  'medium',
  changesFirewall,
  /(^| )(-A|-D|-I|-R|-P|-N|--append|--delete|--insert|--replace|--policy)( |$)/,
)
add('iptables-restore ip6tables-restore', 'high', changesFirewall)
add('nft', 'high', disablesFirewall, /(^| )(flush|delete|destroy|reset)( |$)/)
add('nft', 'medium', changesFirewall, /(^| )(add|insert|create|replace|-f)( |$)/)
add(
  'firewall-cmd',
  'medium',
  changesFirewall,
  /--(add|remove|set|panic|complete-reload|permanent|new|delete|change)/,
)
add('pfctl', 'high', disablesFirewall, /(^| )-\w*[dF]/)
add('pfctl', 'medium', changesFirewall, /(^| )-\w*f/)
add('socketfilterfw', 'high', disablesFirewall, /(off|--remove|--unblock)/)
add(
  'netsh',
  'high',
  disablesFirewall,
  either(
    inOrder(/firewall/i, /state off|\breset\b|\bdelete\b|mode[= ]disable/i),
    inOrder(/firewall/i, /opmode/i, /disable/i),
  ),
)
add('netsh', 'medium', changesFirewall, inOrder(/firewall/i, /\b(set|add|import)\b/i))
add(
  'netsh',
  'medium',
  disables,
  either(
    inOrder(/\binterface\b/i, /(disabled?|delete)\b/i),
    inOrder(/\bwlan\b/i, /\b(delete|disconnect)\b/i),
  ),
)
add(
  'ip',
  'medium',
  disables,
  either(
    /(^| )(route|r|addr|a|address|rule|link|neigh) (del|delete|flush)\b/,
    inOrder(/(^| )(link|l) set(?= )/, /\bdown\b/),
  ),
)
add('ifconfig', 'medium', disables, /(^| )down( |$)/)
add('ifdown', 'medium', disables)
add('nmcli', 'medium', disables, /(^| )(off|down|delete|disconnect)( |$)/)
add('route', 'medium', disables, /(^| )(del|delete|flush|-f)( |$)/i)
add(
  'networksetup',
  'medium',
  disables,
  either(
    /-(set\w*off|remove|delete)/i,
    inOrder(/-set(?:(?!state)\w)*state/i, /off/i),
    inOrder(/-setnetworkserviceenabled /i, / off/i),
  ),
)
add('rmmod', 'medium', disables)
add('modprobe', 'medium', disables, /(^| )(-\w*r|--remove)( |$)/)
add('dism', 'medium', disables, /\/(disable-feature|remove-\S+|apply-image|set-\S+)/i)
add('pnputil', 'medium', uninstalls, /\/?(-d|delete-driver|remove-device|disable-device)/i)
add('devcon', 'medium', disables, /(disable|remove)/i)
add('powercfg', 'medium', disables, /(^| )[/-](h|hibernate) off/i)

// Shutdown
add('shutdown', 'medium', shutsDown, undefined, /(^| )(-c|\/a|-a|--help|--show)( |$)/)
add('reboot halt poweroff', 'medium', shutsDown)
add('init telinit', 'medium', shutsDown, /^[016sS]( |$)/)
add('psshutdown psshutdown64 tsshutdn', 'medium', shutsDown)
add('kill', 'high', shutsDown, /(^| )-?(9|KILL|SIGKILL)? ?(-- )?(-1|1)$/)
add('killall5', 'high', shutsDown)
add(
  'taskkill pkill killall pskill pskill64',
  'high',
  disablesSecurity,
  /msmpeng|mssense|falcon|sentinel|sophos|ekrn|avp|csagent|huntress|wazuh|ossec|clam|lsass|winlogon|csrss|auditd|firewalld/i,
)
add(
  'virsh',
  'high',
  deletesResources,
  /(^| )(destroy|undefine|vol-delete|pool-delete|pool-destroy|snapshot-delete)( |$)/,
)
add('virsh', 'medium', stopsResources, /(^| )(shutdown|reboot|reset|managedsave)( |$)/)
add('qm pct', 'high', deletesResources, /(^| )(destroy|delsnapshot|rollback)( |$)/)
add('qm pct', 'medium', stopsResources, /(^| )(stop|shutdown|reboot|reset)( |$)/)
add('vim-cmd', 'high', deletesResources, /destroy|unregister|power\.off|power\.shutdown|snapshot\.remove/)
add(
  'esxcli',
  'high',
  stopsResources,
  either(
    /vm process kill|system shutdown/,
    inOrder(/firewall|network/, /remove|set/),
    inOrder(/storage/, /unmount|remove/),
  ),
)
add(
  'vboxmanage',
  'high',
  deletesResources,
  either(/unregistervm|poweroff/, inOrder(/closemedium/, /--delete/)),
)
add(
  'rundll32',
  'high',
  'executes a function of a library',
  /javascript|https?:|comsvcs|advpack|SetSuspendState|ExitWindows|\\\\/i,
)

// Accounts
add(
  'useradd adduser usermod groupadd groupmod chsh chfn newgrp newusers chpasswd chgpasswd smbpasswd htpasswd pwpolicy ldapadd ldappasswd faillock pam_tally2 pdbedit',
  'medium',
  changesAccount,
  undefined,
  /(^| )(--help|--version|-D$)/,
)
add('passwd', 'medium', changesAccount, undefined, /(^| )(-S|--status|-(?=\w*S)\w+)( |$)|--help/)
add('passwd', 'high', deletesAccount, /(^| )(-(?=\w*[dl])\w+|--delete|--lock)( |$)/)
add('chage', 'medium', changesAccount, undefined, /(^| )(-l|--list)( |$)/)
add('gpasswd', 'medium', changesAccount)
add(
  'usermod gpasswd adduser useradd dseditgroup net',
  'high',
  changesAdmins,
  /(^|[ ,])(sudo|wheel|adm|admin|admins|root|docker|administrators|administratoren|domain admins|enterprise admins)( |,|$)/i,
  /^(user|localgroup|group) [^ ]+$|^(localgroup|group|accounts|localgroup administrators|group domain admins)$|--help/i,
)
add('usermod', 'high', deletesAccount, /(^| )(-(?=\w*L)\w+|--lock|--expiredate 1|-e 1)( |$)/)
add('userdel deluser groupdel delgroup dsrm vipw vigr ldapdelete', 'high', deletesAccount)
add('pw', 'medium', changesAccount, /(^| )(user|group)?(add|mod)/)
add('pw', 'high', deletesAccount, /(^| )(user|group)?del|lock/)
add('dscl', 'medium', changesAccount, /(^| )-?(create|passwd|append|change|merge)( |$)/)
add('dscl', 'high', deletesAccount, /(^| )-?delete( |$)/)
add(
  'sysadminctl',
  'medium',
  changesAccount,
  /-(addUser|resetPasswordFor|newPassword|secureTokenOn|secureTokenOff)/i,
)
add('sysadminctl', 'high', deletesAccount, /-deleteUser/i)
add('dseditgroup', 'medium', changesAccount, /-o (edit|create|delete)/)
add(
  'samba-tool',
  'medium',
  changesAccount,
  /(user|group|computer|domain|ou) (create|add|setpassword|enable|unlock|setexpiry|move|edit|rename|addmembers|removemembers|addunixattrs|passwordsettings set)/,
)
add('samba-tool', 'high', deletesAccount, /(delete|disable|demote)/)
add('ldapmodify', 'medium', changesAccount)
add(
  'kadmin kadmin.local',
  'high',
  changesAccount,
  /(delprinc|delete_principal|cpw|change_password|addprinc|modprinc|ktadd|ktremove)/,
)
add('realm adcli', 'high', changesAccount, /(^| )(leave|join|delete-\S+|create-\S+|reset-\S+)/)
add('ipa', 'high', deletesAccount, /(^| )\S+-(del|disable|remove-member)( |$)/)
add('ipa', 'medium', changesAccount, /(^| )(\S+-(add|mod|add-member|enable|unlock)|passwd)( |$)/)
add(
  'net net1',
  'medium',
  changesAccount,
  /^user [^ ]+ ([^/ ]|.*\/(add|active|expires|times|passwordreq|passwordchg))/i,
)
add('net net1', 'high', deletesAccount, /^(user|localgroup|group|computer) .*(\/delete|\/del|\/active:no)\b/i)
add('net net1', 'medium', changesAccount, /^(localgroup|group) .*\/add\b|^accounts .*\//i)
add('net net1', 'medium', deletesData, /^(share|session|file) .*\/(delete|close|del)\b/i)
add('dsadd dsmod dsmove', 'medium', changesAccount)
add('dsmod', 'high', deletesAccount, /-disabled yes/i)
add('wpkill netdom', 'high', changesAccount, /(remove|reset|resetpwd|move|join|renamecomputer)/i)
add('ksetup setspn', 'medium', changesAccount, /(\/set\w+|\/del\w+|-[ads])\b/i)
add('lusrmgr', 'medium', changesAccount)
add('nltest', 'medium', changesAccount, /\/(sc_reset|sc_change_pwd)/i)

// Registry, boot, keys
add('reg', 'high', deletesRegistry, /^delete/i)
add('reg', 'medium', 'replaces parts of the registry', /^(import|restore|load|unload|copy)/i)
add('reg', 'high', changesRegistry, protectedRegistryValue, /^query/i)
add('reg', 'high', 'copies passwords of the computer', /^(save|export).*\b(sam|security|system)\b/i)
add('regedit regini', 'medium', 'replaces parts of the registry')
add('defaults', 'medium', 'deletes settings', /(^| )delete( |$)/)
add('plutil nvram', 'medium', changesBoot, /(^| )(-remove|-c|-d)/)
add('bcdedit', 'high', changesBoot, undefined, /^(\/enum.*|\/v|)$/i)
add(
  'bootrec bootsect bootcfg bcdboot bless grub-install grub2-install efibootmgr reagentc',
  'high',
  changesBoot,
  undefined,
  /^$|(^| )(-v|\/info|--help|--version|--info)( |$)/i,
)
add(
  'update-grub grub-mkconfig grub2-mkconfig grubby dracut update-initramfs mkinitcpio kexec',
  'medium',
  changesBoot,
  undefined,
  /--(info|default-kernel)|--help/,
)
add('kernelstub lilo syslinux extlinux', 'high', changesBoot)
add('systemreset systemsetup', 'high', changesBoot, undefined, /-get/i)
add('gpg gpg2', 'high', changesKeys, /--(delete|gen-revoke)/)
add('certutil', 'high', changesKeys, /[-/](delstore|addstore|delkey|importpfx|repairstore|revoke)/i)
add('keytool', 'high', changesKeys, /-(delete|import\w*|storepasswd|keypasswd|genkey\w*)/)
add(
  'security',
  'high',
  changesKeys,
  /(^| )(delete-\S+|add-trusted-cert|remove-trusted-cert|import|set-keychain-password|unlock-keychain)/,
)
add('update-ca-certificates update-ca-trust trust', 'medium', changesKeys)
add('ssh-keygen', 'medium', changesKeys, /(^| )-(?=\w*[pR])\w+( |$)/)
add('ssh-copy-id', 'high', changesAdmins)
add('tpm2_clear tpm2_changeauth', 'high', changesKeys)
add(
  'vault',
  'high',
  changesKeys,
  /(^| )(delete|destroy|operator (seal|rekey|rotate)|token revoke|kv (delete|destroy|metadata delete)|secrets disable|auth disable)/,
)
add('mimikatz procdump procdump64 secretsdump.py', 'high', 'copies passwords of the computer')

// Software and data
add(
  'apt apt-get aptitude yum dnf zypper microdnf apk brew choco scoop winget snap flatpak pkg port pip pip3 npm gem conda',
  'medium',
  uninstalls,
  /^(-\S+ )*(remove|purge|autoremove|autopurge|erase|uninstall|un|del|delete|rm|dist-upgrade|full-upgrade)( |$)/,
)
add(
  'dpkg rpm',
  'medium',
  uninstalls,
  /(^| )(-(?=\w*[rPe])\w+|--remove|--purge|--erase)( |$)/,
  /(^| )-\w*[qVlLsSUi]|--(query|install)/,
)
add('pacman', 'medium', uninstalls, /(^| )-R/)
add('msiexec', 'medium', uninstalls, /(^| )[/-](x|uninstall)/i)
add('wusa', 'medium', uninstalls, /\/uninstall/i)
add(
  'pip pip3 npm',
  'high',
  'installs software from an address',
  inOrder(/(^| )(install|i|add)(?= )/, /https?:|git\+|git:/),
)
add(
  'docker podman nerdctl',
  'medium',
  deletesData,
  /(^| )(rm|rmi|container rm|image (rm|prune)|container prune|network (rm|prune)|builder prune|compose down|stack rm|kill)( |$)/,
)
add(
  'docker podman nerdctl',
  'high',
  deletesData,
  either(
    /(^| )(system prune|volume (rm|prune)|swarm leave)/,
    inOrder(/(^| )compose(?= )/, /down /, /-v|--volumes/),
    inOrder(/(^| )rm(?= )/, /-\w*v/),
  ),
)
add('docker-compose', 'medium', deletesData, /(^| )(down|rm)( |$)/)
add(
  'kubectl oc',
  'high',
  deletesResources,
  either(/(^| )(delete|drain|adm (prune|drain))( |$)/, inOrder(/(^| )replace(?= )/, /--force( |$)/)),
)
add(
  'kubectl oc',
  'medium',
  stopsResources,
  either(
    /(^| )(cordon|rollout (undo|restart)|apply|patch)( |$)/,
    inOrder(/(^| )scale(?= )/, /replicas=0( |$)/),
  ),
)
add('helm', 'high', deletesResources, /(^| )(uninstall|delete|rollback)( |$)/)
add(
  'terraform tofu pulumi',
  'high',
  deletesResources,
  either(/(^| )(destroy|state rm|down)( |$)/, inOrder(/(^| )apply(?= )/, /-destroy( |$)/)),
)
add('terraform tofu pulumi', 'medium', stopsResources, /(^| )(apply|up|import|taint)( |$)/)
add('vagrant', 'high', deletesResources, /(^| )destroy/)
add(
  'aws',
  'high',
  deletesResources,
  either(
    /(^| )(s3 (rm|rb)|\S+ (delete|terminate|deregister|disable|remove|purge|revoke|detach|release|schedule-key-deletion)\S*)( |$)/,
    inOrder(/(^| )s3 sync(?= )/, /--delete( |$)/),
  ),
)
add(
  'aws',
  'medium',
  stopsResources,
  /(^| )\S+ (stop|reboot|modify|update|put|create-user|create-access-key|attach|reset)\S*( |$)/,
)
add(
  'az gcloud gsutil heroku doctl hcloud oci ibmcloud bq linode-cli',
  'high',
  deletesResources,
  /(^| )(delete|destroy|remove|rm|rb|purge|apps:destroy|terminate|disable)\S*( |$)/,
)
add(
  'az gcloud doctl hcloud',
  'medium',
  stopsResources,
  /(^| )(stop|deallocate|restart|reset|shutdown|reboot|power-off|reset-password)( |$)/,
)
add('dropdb dropuser', 'high', deletesData)
add('createuser', 'medium', changesAccount)
add(
  'psql mysql mariadb sqlcmd sqlite3 isql osql mongo mongosh sqlplus clickhouse-client cqlsh',
  'high',
  deletesData,
  either(
    /\b(drop (table|database|schema|user|role|index|view|login|owned|column|keyspace)|delete from|truncate|alter (user|role|login)|update \S+ set|drop(Database|Index|User)?\(|delete(One|Many)\(|remove\(\{|shutdown|xp_cmdshell)/i,
    inOrder(/\b(create|grant|revoke)(?= )/i, /user|role|login|privileges/i),
  ),
)
add('mysqladmin', 'high', deletesData, /(^| )(drop|shutdown|password|flush-\S+)( |$)/)
add('redis-cli', 'high', deletesData, /(^| )(flushall|flushdb|shutdown|del|unlink|config set|eval)( |$)/i)
add(
  'rabbitmqctl',
  'high',
  deletesData,
  /(^| )(delete_\S+|purge_queue|reset|force_reset|stop|stop_app|clear_\S+)/,
)
add('postsuper', 'medium', deletesData, /-d/)
add('exim', 'medium', deletesData, /-M(rm|f)/)
add('lprm', 'medium', 'cancels print jobs', /-$|ALL/)
add('rclone', 'high', deletesFiles, /(^| )(delete|purge|deletefile|rmdirs?|sync|cleanup|move)( |$)/)
add(
  'mc s3cmd',
  'high',
  deletesFiles,
  either(/(^| )(rm|rb|del)( |$)/, inOrder(/(^| )sync(?= )/, /--delete-removed( |$)/)),
)
add('sysctl', 'medium', 'changes settings of the kernel', /(^| )-\w*w|kernel\.|=/)
add('crash sysrq', 'high', shutsDown)
add(
  'curl wget http https',
  'medium',
  'deletes or changes at an address',
  /(^| )(-X ?|--request[= ])(DELETE)\b/i,
)

// Rights
add('sudo doas pkexec gsudo sudoedit run0 runas su machinectl', 'elevation', needsAdministrator)
add('psexec psexec64 paexec', 'elevation', needsAdministrator, /(^| )[-/](s|h|si|is)\b/i)
add('runuser', 'elevation', needsAdministrator)

/** Return the rules of a program that its arguments match. `text` are the arguments, joined by spaces. */
export function findProgramRules(name: string, text: string): ProgramRule[] {
  const base = name.startsWith('mkfs.')
    ? 'mkfs'
    : /^(python|perl|ruby)[\d.]+$/.test(name)
      ? name.replace(/(?<![\d.])[\d.]+$/, '')
      : name
  return (rules.get(base) ?? []).filter(
    ({ when, unless }) => (!when || when.test(text)) && !unless?.test(text),
  )
}
