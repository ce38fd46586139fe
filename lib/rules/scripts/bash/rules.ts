/** Shells. They execute the file in their first argument, or the text after -c. */
export const shells = new Set('sh bash dash ash ksh mksh zsh fish rbash csh tcsh'.split(' '))
/** Other interpreters. They execute the file in their first argument. */
export const interpreters =
  /^(python|perl|ruby|node|nodejs|php|lua|tclsh|deno|bun|rscript|pwsh|powershell)[\d.]*$/

/**
 * Commands that execute their arguments or input, or whose arguments name variables. No text may be an
 * argument.
 */
export const evaluators = new Set(
  (
    'eval source . trap let alias unset enable bind complete compgen compopt history fc jobs shopt wait getopts read mapfile readarray ' +
    'callable coproc times hash caller ' +
    'at batch crontab screen tmux expect osascript gdb dc ed ex vi vim view nvim emacs m4 make gmake ansible ansible-playbook salt su ' +
    'runuser watch parallel script socat run-parts setpriv nsenter start-stop-daemon psexec winexe gnuplot mawk ' +
    'cmd wmic mshta rundll32 regsvr32 forfiles msbuild installutil psexec64 schtasks wscript cscript wsl winrs'
  ).split(' '),
)

/**
 * Windows passes the arguments of such a file to cmd.exe, which has no safe quoting.
 * https://docs.python.org/3/library/subprocess.html#security-considerations
 */
export const batchFile = /\.(bat|cmd)$/

/** Commands that execute the text or files on their standard input. */
export const inputEvaluators = new Set(
  'at batch crontab dc ed ex gdb m4 parallel su psql mysql mariadb sqlite3 expect'.split(' '),
)

/**
 * Commands of which one option executes a program. Text in their arguments must not start with a dash.
 * https://gtfobins.github.io lists such options.
 */
export const optionExecutors = new Set(
  (
    'ssh scp sftp rsync tar bsdtar git find sed sort zip wget man less more split nc ncat netcat tcpdump pip pip3 npm rpm ' +
    'psql mysql mariadb mysqldump sqlite3 mount 7z cpio docker podman kubectl awk gawk flock chroot sudo tee dpkg ' +
    'openssl curl nmap bsdtar gzip env timeout'
  ).split(' '),
)

/** Options whose value is a command, or changes which commands are executed. */
export const executingOptions: Readonly<Record<string, RegExp>> = {
  ssh: /^(-o|-F|-S|-I|-E)$/,
  scp: /^(-o|-F|-S)$/,
  sftp: /^(-o|-F|-S|-s|-D|-b)$/,
  rsync: /^(-\w*e|--rsh|--rsync-path|-M|--remote-option)$/,
  tar: /^(-I|-F|--use-compress-program|--to-command|--checkpoint-action|--info-script|--new-volume-script|--rsh-command|--rmt-command)$/,
  git: /^(-c|-u|-x|--config|--config-env|--upload-pack|--receive-pack|--exec|--exec-path|--template|-O|--open-files-in-pager)$/,
  find: /^-(f|fprintf)$/,
  sort: /^--compress-program$/,
  zip: /^(-TT|--unzip-command)$/,
  wget: /^(-e|--execute|--use-askpass)$/,
  curl: /^(-K|--config)$/,
  man: /^(-P|-H|--pager|--html|-C|--config-file)$/,
  less: /^(-k|--lesskey-file)$/,
  split: /^--filter$/,
  nc: /^-[ec]$/,
  ncat: /^(-e|-c|--exec|--sh-exec|--lua-exec)$/,
  netcat: /^-[ec]$/,
  tcpdump: /^-z$/,
  psql: /^(-c|-f|-v|--command|--file|--set|--variable)$/,
  mysql: /^(-e|--execute|--init-command)$/,
  mariadb: /^(-e|--execute|--init-command)$/,
  nmap: /^--script$/,
  openssl: /^(-engine|-provider|-config)$/,
  pip: /^--global-option$/,
  docker: /^(--entrypoint|--health-cmd)$/,
  podman: /^(--entrypoint|--health-cmd)$/,
}

/**
 * Variables that change which code the shell or a program executes, or that evaluate their value as
 * arithmetic.
 */
export const executingVariable =
  /^(PATH|IFS|ENV|SHELL|SHELLOPTS|BASHOPTS|BASH_\w+|PS[0-4]|PROMPT_\w+|LD_\w+|DYLD_\w+|PERL\w*|PYTHON\w*|RUBY\w*|NODE_\w+|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_\w+|LESS\w*|MAN\w*|EDITOR|VISUAL|FCEDIT|PAGER|\w+_PAGER|\w+_EDITOR|\w+_COMMAND|\w+_ASKPASS|BROWSER|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|OPENSSL_\w+|GCONV_PATH|INPUTRC|HISTFILE|HISTSIZE|HISTFILESIZE|HISTCMD|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH\w+|OPTIND|UID|EUID|PPID|COLUMNS|LINES|TMOUT|MAIL\w*|FIGNORE|GLOBIGNORE|EXECIGNORE|COMP_\w+|COMPREPLY|READLINE_\w+|FUNCNEST|CDPATH|MAKEFLAGS|MAKEFILES|AWKPATH|AWKLIBPATH)$/

/** Commands that print the state of the computer, and not the text of their arguments. */
export const reporters = new Set(
  'date df du free hostname id logname lsof nproc openssl pgrep pidof ps ss stat systemctl uname uptime vmstat whoami ssh-agent dircolors'.split(
    ' ',
  ),
)

/** Commands that print what they read: their input, or the files in their arguments. */
export const fileReaders = new Set(
  (
    'cat tr cut sed awk gawk mawk grep egrep fgrep zcat zgrep head tail rev sort uniq tac jq yq xargs envsubst column fold fmt nl paste base64 ' +
    'xxd strings dd tee less more diff comm join'
  ).split(' '),
)

/** Commands that write to a file among their arguments. */
export const fileWriters = new Set('mv cp ln install dd sponge rsync scp split curl wget tee sed'.split(' '))
