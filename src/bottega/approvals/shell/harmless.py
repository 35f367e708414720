"""Options that do nothing but what their program is known for, by program: what `*` in a pattern covers unasked.

Only what is listed counts, and names count in full: programs take the beginning of one for the whole. Left out is what
runs a program, reads orders from a file, writes to a file that it names, or works in another folder.
"""

import msgspec


class Harmless(msgspec.Struct, frozen=True):
    """What a program may be given unasked."""

    flags: str = ""
    """Letters that may be bundled: `-la`."""
    valued: str = ""
    """Letters that take what follows them, in the same word or the next."""
    long: frozenset[str] = frozenset()
    """Names of options, without their dashes. They count in full only: programs take beginnings for others, too."""
    names: bool = False
    """One dash is enough for a name: `-maxdepth 2`."""
    digits: bool = False
    """A number is an option: `-20`."""
    assigns: bool = True
    """An operand with `=` sets nothing."""
    at: bool = False
    """An operand that begins with `@` names no file with further options."""
    searches: bool = False
    """Its first operand is what is looked for, and no path."""
    passes: bool = False
    """What follows `--` is for the project's own tests or scripts."""
    begins: str = ""
    """A regular expression for its first operand, where that decides what runs."""
    reads: int = 0
    """So many operands are read, and the next would be written; 0: none is."""
    also: str = ""
    """A regular expression for further options."""
    spells: bool = False
    """It makes other words of one with braces or brackets, as a shell would: `{file}:///x`."""


def _names(text: str) -> list[str]:
    return text.split()


def _h(flags: str = "", valued: str = "", long: str = "", **more: object) -> Harmless:
    return msgspec.convert(
        {"flags": flags, "valued": valued, "long": long.split(), **more}, Harmless
    )


_DIFF = (
    "stat numstat shortstat dirstat summary name-only name-status cached staged color no-color color-words "
    "word-diff "
    "unified ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines patch no-patch raw "
    "minimal "
    "patience histogram find-renames find-copies diff-filter exit-code quiet check full-index binary abbrev "
    "no-renames "
    "function-context no-ext-diff no-textconv compact-summary relative no-prefix merge-base cc diff-algorithm"
)
_LOG = (
    f"{_DIFF} oneline graph decorate no-decorate all branches tags remotes max-count skip since after until "
    "before author "
    "committer grep all-match invert-grep follow merges no-merges first-parent reverse pretty format "
    "abbrev-commit date "
    "relative-date topo-order date-order author-date-order full-history ancestry-path left-right "
    "cherry-pick cherry-mark "
    "boundary simplify-by-decoration show-signature no-walk source notes no-notes pickaxe-regex pickaxe-all "
    "regexp-ignore-case "
    "perl-regexp extended-regexp fixed-strings"
)
_GIT = {
    "add": _h("AuvnNp", "", "all update verbose dry-run intent-to-add patch ignore-errors no-all"),
    "blame": _h(
        "wlsefnptMC", "L", "show-name show-number show-email porcelain line-porcelain root date"
    ),
    "branch": _h(
        "avrdDmMlq",
        "",
        "all remotes list delete move merged no-merged contains no-contains show-current verbose quiet sort "
        "format points-at "
        "color no-color column no-column ignore-case",
    ),
    "cat-file": _h("tspe"),
    "check-ignore": _h("vqn", "", "verbose quiet non-matching no-index"),
    "checkout": _h("bBfqt", "", "quiet detach track no-track force ours theirs orphan"),
    "cherry-pick": _h("nx", "", "abort continue skip quit no-commit"),
    "clean": _h("nfdxXq", "", "dry-run force quiet"),
    "clone": _h("qvb", "", "depth quiet verbose branch single-branch no-tags bare no-checkout"),
    "commit": _h(
        "amqvns",
        "",
        "all message amend no-edit quiet verbose allow-empty dry-run signoff no-verify only include date "
        "author short "
        "allow-empty-message",
    ),
    "describe": _h(
        "", "", "tags all always dirty long abbrev match exclude contains exact-match first-parent"
    ),
    "diff": _h("pswbzRaMCDu", "UlGS", _DIFF),
    "diff-tree": _h("pswbzRrtvMCm", "U", f"{_DIFF} root no-commit-id"),
    "fetch": _h("pqvatn", "", "all prune quiet verbose tags no-tags depth dry-run unshallow"),
    "for-each-ref": _h("", "", "format sort count points-at merged no-merged contains no-contains"),
    "init": _h("q", "b", "quiet initial-branch"),
    "grep": _h(
        "nilLwvcoFEPGhHqaIpW",
        "eABCm",
        "line-number ignore-case files-with-matches files-without-match word-regexp invert-match count "
        "only-matching "
        "fixed-strings extended-regexp perl-regexp basic-regexp quiet cached untracked color no-color context "
        "after-context before-context show-function function-context break heading max-depth and or not "
        "all-match",
        searches=True,
    ),
    "log": _h("pswbzRaMCigmtuEFP", "nUGSL", _LOG, digits=True),
    "ls-files": _h(
        "comdstuzvik",
        "",
        "cached others modified deleted stage unmerged ignored exclude-standard full-name",
    ),
    "ls-remote": _h("htq", "", "heads tags refs quiet symref sort"),
    "ls-tree": _h("drtlz", "", "long name-only name-status full-name full-tree abbrev"),
    "merge": _h(
        "qvn",
        "m",
        "no-ff ff ff-only squash no-commit commit abort continue quit quiet verbose stat no-stat",
    ),
    "merge-base": _h("a", "", "all octopus is-ancestor fork-point independent"),
    "mv": _h("fknv", "", "force dry-run verbose"),
    "pull": _h(
        "qv", "", "rebase no-rebase ff-only no-ff ff quiet verbose prune autostash no-autostash"
    ),
    "push": _h(  # the hooks of a repository that lies in the folder would run
        "nuqv",
        "",
        "dry-run set-upstream quiet verbose tags follow-tags porcelain",
        begins="origin|upstream",
    ),
    "rebase": _h("qv", "", "abort continue skip quit onto autostash no-autostash quiet verbose"),
    "reflog": _h("n", "", "all oneline date max-count"),
    "remote": _h("v", "", "verbose"),
    "reset": _h("qp", "", "soft mixed hard keep merge quiet patch"),
    "restore": _h("SWqp", "s", "staged worktree source quiet ours theirs patch"),
    "rev-list": _h("n", "", f"{_LOG} count objects"),
    "rev-parse": _h(
        "q",
        "",
        "abbrev-ref short verify quiet show-toplevel git-dir is-inside-work-tree symbolic-full-name "
        "show-prefix "
        "show-cdup absolute-git-dir is-bare-repository all branches tags remotes",
    ),
    "revert": _h("n", "", "no-commit no-edit abort continue skip quit"),
    "rm": _h("rfnq", "", "cached force dry-run quiet ignore-unmatch"),
    "shortlog": _h("snec", "", "summary numbered email all since until"),
    "show": _h("pswbzRaMCmtu", "nUGS", _LOG, digits=True),
    "stash": _h(
        "pukqam", "", "patch include-untracked keep-index quiet all message index name-only stat"
    ),
    "status": _h(
        "sbuzv",
        "",
        "short branch porcelain long untracked-files ignored verbose show-stash ahead-behind "
        "no-ahead-behind no-renames",
    ),
    "switch": _h(
        "cCqfd", "", "create force-create quiet detach track no-track discard-changes orphan"
    ),
    "tag": _h(
        "ladmnf",
        "",
        "list annotate delete message sort contains no-contains merged no-merged points-at format force",
    ),
}

_TESTS = (
    "watch watchAll coverage verbose silent bail ci runInBand testNamePattern testPathPattern passWithNoTests "
    "updateSnapshot onlyChanged run grep fgrep invert forbid-only timeout retries "
    "nocapture test-threads exact ignored include-ignored show-output skip list fix check noEmit "
    "max-warnings ext quiet "
    "colors color no-color host port maxWorkers workers headed last-failed"
)
TESTS = _h("tiwvq", "", _TESTS)
"""Options of well-known test runners and linters, for what a package manager passes on."""

_NPM = _h(
    "sDSEPO",
    "",
    "silent if-present workspaces ws save-dev save save-exact save-optional save-peer no-save production "
    "omit include "
    "no-audit no-fund legacy-peer-deps dry-run ignore-scripts prefer-offline offline audit-level json long "
    "depth all "
    "frozen-lockfile immutable dev quiet verbose parseable include-workspace-root",
    at=True,
    passes=True,
)
_CARGO = _h(
    "rqv",
    "pj",
    "release quiet verbose all workspace lib bins bin test tests examples example bench benches package "
    "exclude features "
    "all-features no-default-features all-targets jobs no-run no-fail-fast locked offline frozen "
    "message-format color "
    "profile no-deps keep-going check all-crates depth duplicates invert edges",
    passes=True,
)
_GO = _h(
    "",
    "",
    "v race run count short cover timeout bench benchmem failfast json parallel p a n x tags cpu shuffle "
    "list skip "
    "fullpath benchtime m u f deps test find e",
    names=True,
)
_PIP = _h(
    "qvU",
    "r",
    "upgrade quiet verbose no-cache-dir no-deps no-input disable-pip-version-check format outdated uptodate "
    "requirement "
    "dry-run pre",
)
_UV = _h(
    "qvU",
    "r",
    "quiet verbose upgrade dev frozen locked no-dev all-extras extra group no-sync offline dry-run outdated "
    "depth",
)
_COMPILER = _h(
    names=True,
    also=r"-(?:[cgESvw]|O[0-3sgz]?|g[0-3]?|W(?![alp],)[a-z0-9=+-]*|std=[a-z0-9+]+|[DU][A-Za-z_][A-Za-z0-9_]*(?:=[A-Za-z0-9_.]*)?"
    r"|l[a-z0-9_+-]+|pedantic|pthread|fPIC|shared|static|MMD?|fsyntax-only|m(?:32|64))",
)

_SUBCOMMANDS: dict[str, dict[str, Harmless]] = {
    "git": _GIT,
    "npm": dict.fromkeys(
        _names(
            "test t tst run run-script start stop restart ci install i add remove "
            "uninstall rm ls list view info outdated audit fund why explain ping prune dedupe version"
        ),
        _NPM,
    ),
    "cargo": dict.fromkeys(
        _names(
            "build b test t check c clippy fmt doc d bench clean tree update metadata "
            "search add remove version"
        ),
        _CARGO,
    ),
    "go": dict.fromkeys(_names("build test vet fmt list mod version doc clean get work"), _GO),
    "pip": dict.fromkeys(_names("list show freeze check install uninstall index inspect"), _PIP),
    "uv": dict.fromkeys(_names("sync lock pip add remove tree version"), _UV),
}
BY_SUBCOMMAND = {
    **_SUBCOMMANDS,
    "pnpm": _SUBCOMMANDS["npm"],
    "yarn": _SUBCOMMANDS["npm"],
    "pip3": _SUBCOMMANDS["pip"],
}

PROGRAMS: dict[str, Harmless] = {
    **dict.fromkeys(("pwd", "whoami", "tty"), _h("PL")),
    "basename": _h("az", "s", "multiple suffix zero"),
    "black": _h(
        "qvS", "lt", "check diff quiet verbose color no-color line-length target-version fast safe"
    ),
    "cat": _h(
        "AbeEnstTuv", "", "number number-nonblank show-all show-ends show-tabs squeeze-blank"
    ),
    **dict.fromkeys(("cc", "gcc", "g++", "c++", "clang", "clang++"), _COMPILER),
    "cd": _h("PL"),
    "cmp": _h("bls", "n", "print-bytes silent quiet verbose bytes"),
    "comm": _h("123z"),
    "cp": _h(
        "rRapfivnuLPH", "", "recursive archive force interactive verbose no-clobber update parents"
    ),
    "curl": _h(
        "sSfLiIvgN46",
        "AHXm",
        "silent show-error fail fail-with-body location include head verbose compressed max-time "
        "connect-timeout retry "
        "retry-delay user-agent header request http1.1 http2 ipv4 ipv6",
        spells=True,
    ),
    "cut": _h(
        "nsz",
        "bcdf",
        "bytes characters delimiter fields complement only-delimited output-delimiter",
    ),
    "date": _h("uR", "dI", "utc date iso-8601 rfc-3339 rfc-email"),
    "df": _h("haiTklP", "", "human-readable all inodes local portability total"),
    "diff": _h(
        "qsurNabBwiydtTnpEZ",
        "UCILx",
        "brief report-identical-files unified recursive new-file text ignore-blank-lines ignore-all-space "
        "ignore-space-change ignore-case side-by-side context exclude color width minimal label",
    ),
    "dirname": _h("z"),
    "du": _h(
        "ahcsbkmxLDS0l",
        "dt",
        "all human-readable total summarize bytes max-depth apparent-size exclude one-file-system",
    ),
    "eslint": _h(
        "",
        "",
        "fix fix-dry-run quiet max-warnings ext cache no-error-on-unmatched-pattern color no-color",
    ),
    "file": _h("bihLk", "", "brief mime mime-type mime-encoding dereference"),
    "find": _h(
        "",
        "",
        "name iname path ipath wholename regex iregex type maxdepth mindepth size mtime mmin atime amin "
        "ctime cmin newer "
        "print print0 prune o a not and or empty perm user group readable writable executable depth xdev "
        "mount follow L P H "
        "links inum samefile lname true false ls regextype daystart printf quit nouser nogroup",
        names=True,
    ),
    "flake8": _h(
        "qv", "", "select ignore extend-ignore max-line-length count statistics show-source exclude"
    ),
    **dict.fromkeys(
        ("grep", "egrep", "fgrep"),
        _h(
            "EFGPiyvwxcLlqsobHhnTuUaIrRzZ",
            "efmABC",
            "extended-regexp fixed-strings perl-regexp basic-regexp ignore-case invert-match word-regexp "
            "line-regexp count "
            "files-without-match files-with-matches quiet silent no-messages only-matching byte-offset "
            "with-filename "
            "no-filename line-number recursive include exclude exclude-dir context after-context "
            "before-context max-count "
            "color colour text binary-files null regexp",
            searches=True,
            digits=True,
        ),
    ),
    "head": _h("qvz", "nc", "lines bytes quiet verbose", digits=True),
    "hostname": _h("fsidI"),
    "id": _h("ugGnr"),
    "isort": _h("cqv", "", "check check-only diff quiet verbose profile"),
    "jest": TESTS,
    "jq": _h(
        "nrajScCMe",
        "",
        "null-input raw-output compact-output sort-keys exit-status slurp raw-input color-output tab",
        begins=r"(?s:(?!.*(?:import|include|modulemeta)).*)",
    ),
    "ln": _h("sfvnri"),
    "ls": _h(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "ITw",
        "all almost-all human-readable recursive reverse sort time color directory inode size format "
        "time-style full-time "
        "group-directories-first classify no-group numeric-uid-gid ignore hide width",
    ),
    "make": _h(
        "knsBdipqrRStvwj",
        "",
        "keep-going dry-run just-print silent quiet always-make jobs question touch trace no-print-directory "
        "print-directory output-sync no-builtin-rules print-data-base version help",
        assigns=False,
        also=r"-j\d+",
    ),
    **dict.fromkeys(
        ("md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum"),
        _h("bctz", "", "check binary text zero status quiet strict tag"),
    ),
    "mkdir": _h("pv", "m", "parents verbose mode"),
    "mocha": TESTS,
    "mv": _h("fivnu", "", "force interactive verbose no-clobber update"),
    "mypy": _h(
        "v",
        "mp",
        "strict ignore-missing-imports pretty no-error-summary show-error-codes show-column-numbers "
        "show-error-context "
        "no-color-output check-untyped-defs disallow-untyped-defs follow-imports no-incremental "
        "warn-unused-ignores module "
        "package exclude namespace-packages explicit-package-bases",
    ),
    "nl": _h("p", "bnsvw"),
    "prettier": _h(
        "cwlu",
        "",
        "check write list-different ignore-unknown no-error-on-unmatched-pattern loglevel log-level",
    ),
    "ps": _h(
        "AaefFjlLmTuwxNdH", "opCugtk", "forest no-headers sort pid ppid user", also=r"-?[aefjluwx]+"
    ),
    **dict.fromkeys(
        ("pyright", "basedpyright"), _h("", "", "outputjson stats verbose warnings level")
    ),
    **dict.fromkeys(
        ("pytest", "py.test"),
        _h(
            "vqxsl",
            "krmn",
            "verbose quiet exitfirst maxfail lf last-failed ff failed-first nf new-first sw stepwise "
            "stepwise-skip tb durations "
            "durations-min no-header no-summary co collect-only show-capture capture color runxfail "
            "strict-markers strict "
            "timeout count markers fixtures version help cov cov-append cov-branch no-cov reruns "
            "benchmark-only "
            "benchmark-skip disable-warnings disable-pytest-warnings setup-show setup-plan deselect ignore "
            "ignore-glob "
            "doctest-modules numprocesses dist randomly-seed showlocals cache-show full-trace forked",
        ),
    ),
    "readlink": _h("fem", "", "canonicalize"),
    "realpath": _h("emsz", "", "relative-to relative-base"),
    "rg": _h(
        "nNilLwvcoSsuFPxhHpqU0abV.",
        "ABCgtTmejrfEMd",
        "line-number no-line-number ignore-case smart-case case-sensitive files-with-matches "
        "files-without-match "
        "word-regexp line-regexp invert-match count count-matches only-matching fixed-strings pcre2 multiline "
        "multiline-dotall hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted files glob "
        "iglob type "
        "type-not type-list max-count max-depth max-filesize max-columns context after-context "
        "before-context heading "
        "no-heading with-filename no-filename color sort sortr stats replace passthru trim text json null "
        "quiet "
        "vimgrep column no-column regexp follow no-config no-messages one-file-system pretty debug version "
        "help "
        "max-columns-preview crlf engine",
        searches=True,
    ),
    "rm": _h("rRfivd", "", "recursive force interactive verbose dir"),
    "rmdir": _h("pv", "", "parents verbose ignore-fail-on-non-empty"),
    "ruff": _h(
        "qv",
        "",
        "fix no-fix unsafe-fixes diff check select ignore extend-select extend-ignore exclude show-fixes "
        "statistics "
        "output-format no-cache preview quiet verbose silent line-length target-version exit-zero "
        "show-files show-settings",
    ),
    "sleep": _h(),
    "sort": _h(
        "bdfgiMhRrVcCmsuz",
        "kt",
        "reverse unique numeric-sort general-numeric-sort human-numeric-sort version-sort ignore-case key "
        "field-separator "
        "check stable zero-terminated ignore-leading-blanks dictionary-order month-sort merge",
        also=r"-[bdfgiMhRrVcmsuz]*n[bdfgiMhRrVcmsuzn]*",
    ),
    "stat": _h("Lft", "c", "format printf terse dereference file-system"),
    "tail": _h("qvzfF", "nc", "lines bytes quiet verbose follow", digits=True),
    "tar": _h(
        "cxtruzjJvpkmhO",
        "f",
        "create extract get list append update file gzip bzip2 xz zstd verbose exclude keep-old-files "
        "no-same-owner "
        "strip-components wildcards totals same-permissions no-same-permissions",
    ),
    "touch": _h("acmh", "dt", "no-create date"),
    "tr": _h("cdst", "", "complement delete squeeze-repeats"),
    "tree": _h(
        "adlfxiqpugshDvtcUrnCSFJ",
        "LPI",
        "dirsfirst gitignore noreport prune filelimit du si matchdirs ignore-case",
    ),
    "tsc": _h(
        "bv",
        "",
        "noEmit strict pretty skipLibCheck listFiles build watch noErrorTruncation incremental version",
    ),
    "uname": _h("asnrvmpio"),
    "uniq": _h("cduiz", "fsw", "count repeated unique ignore-case skip-fields skip-chars", reads=1),
    "unittest": _h("vqfcb", "k", "verbose quiet failfast catch buffer locals"),
    "unzip": _h("lqontvjp", "d"),
    "vitest": TESTS,
    "wc": _h("lwcmL", "", "lines words bytes chars max-line-length"),
    "wget": _h(
        "qcSv", "tT", "quiet continue spider timestamping tries timeout no-verbose server-response"
    ),
    "which": _h("a", "", "all"),
}
