// The functions of Python's libraries that the check knows, by name.

/** Functions that execute text or a file, or that find a function or module by its name. */
export const executors = new Set(
  (
    'eval exec execfile compile __import__ import_module system popen popen2 popen3 popen4 startfile getoutput getstatusoutput ' +
    'create_subprocess_shell getattr attrgetter methodcaller locate run_path run_module runsource runcode runeval CDLL PyDLL WinDLL ' +
    'LoadLibrary interact timeit repeat exec_command run_ps run_cmd from_string Template SourceFileLoader spec_from_file_location ' +
    'exec_module load_module find_module load_source safe_eval literal_compile unsafe_load full_load_all resolve_name Unpickler'
  ).split(' '),
)
/** Those of them whose first argument is a text for a shell. */
export const shellFunctions = /^(system|popen|getoutput|getstatusoutput|create_subprocess_shell)$/
/** Modules of which every function that reads data executes code in the data. */
export const unpicklers = /^(c?[pP]ickle|_pickle|marshal|dill|shelve|jsonpickle|cloudpickle|joblib|yaml)$/
export const unpicklingFunctions = /^(load|loads|load_all|open|decode)$/
/** Functions that start a program from a list of arguments. */
export const programStarters =
  /^(run|call|check_call|check_output|Popen|create_subprocess_exec|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|spawn)$/
/** Programs that execute a file or their input. */
export const interpreter =
  /^((ba|da|z|k)?sh|pwsh|powershell|cmd|python[\d.]*|perl|ruby|node|php|at|crontab|ssh|psql|mysql)$/

/** Functions whose result is a number. */
export const cleaningFunctions = new Set('int float len bool isinstance ord hash'.split(' '))

/**
 * Functions that neither change nor store their arguments. Those that may also return one of them are not
 * among `readingFunctions`.
 */
export const readingFunctions = /^(print|len|str|repr|join|quote|debug|info|warning|error|exception)$/
export const unchangingFunctions =
  /^(joinpath|with_name|with_suffix|Path|PurePath|PureWindowsPath|exists|isfile|isdir|is_file|is_dir|dirname|basename|abspath|which|open|read|read_text|write_text|write_bytes|split|rsplit|splitlines|strip|lstrip|rstrip|lower|upper|replace|startswith|endswith|format|encode|decode|index|count|find|get|keys|values|items|isinstance|int|float|bool|list|tuple|set|dict|sorted|min|max|sum|any|all|enumerate|zip|range|exit|sleep|getenv|dumps|loads|match|search|fullmatch|findall|sub|gethostbyname|run|call|check_call|check_output|Popen|communicate)$/

/** Methods that write to the file of their object. */
export const writers = /^(write|writelines|write_text|write_bytes|writerow|writerows)$/
/** Functions that write to a file among their arguments. */
export const dumpers = /^(dump|safe_dump|copyfileobj|urlretrieve)$/
