#!/bin/sh
# Usage: setup/install.sh run|test. Installs the packages of setup/packages that are missing, and a Python of 3.11 or later,
# whose path it leaves in var/python for the Makefile. Prints nothing when all is there.
set -eu
cd "$(dirname "$0")"
purpose=$1

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

rustc_is_at_least() { # version
    found=$(/usr/bin/rustc --version 2>/dev/null | cut -d' ' -f2)
    [ -n "$found" ] && [ "$(printf '%s\n' "$1" "$found" | sort -V | head -n 1)" = "$1" ]
}

is_there() {
    case $1 in
        /*) [ -e "$1" ] ;;
        command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
        header:*) [ -e "/usr/include/${1#header:}" ] ;;
        rustc:*) rustc_is_at_least "${1#rustc:}" ;;
        library:*) ls /usr/lib/*/"${1#library:}"* /usr/lib/"${1#library:}"* 2>/dev/null | grep -q . ;;
    esac
}

is_offered() { apt-cache show "$1" >/dev/null 2>&1; }

first_offered() { # of names separated by |
    for name in $(echo "$1" | tr '|' ' '); do
        if is_offered "$name"; then echo "$name"; return; fi
    done
}

apt_is_fresh=no
refresh_apt() {
    [ "$apt_is_fresh" = yes ] && return
    say "asking apt for its lists"
    apt-get update -qq || say "apt-get update failed; going on with the lists that are here"
    apt_is_fresh=yes
}

install() { # packages
    say "installing $*"
    mkdir -p ../var
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >../var/apt.log 2>&1 && return
    tail -n 5 ../var/apt.log >&2
    return 1
}

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# A package that only makes things faster: install it where apt knows it already, and say nothing where not.
try() { # packages
    can_install && is_offered "$1" && install "$1" || return 0
}

# A package that is missing: install it, or say what the lack of it means.
provide() { # what purpose packages why
    if ! can_install; then
        [ "$2" = run ] || { say "$3 is missing ($4): some of Tally will not work; install it as root with apt-get"; return 0; }
        die "$3 is missing ($4): install it, or run make as root on Debian or Ubuntu"
    fi
    refresh_apt
    package=$(first_offered "$3")
    case $package in
        chromium) if apt-cache show chromium | grep -qi snap; then package=; fi ;;
    esac
    if [ -z "$package" ] || ! install "$package"; then
        case $2 in
            run) die "$3 cannot be installed ($4)" ;;
            meter) say "$3 cannot be installed: system calls will not be counted by name, all else works" ;;
            test) say "$3 cannot be installed here ($4); for a browser: .venv/bin/playwright install --with-deps chromium" ;;
        esac
    fi
}

is_good_python() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Debian's own Python first: it is built with profile-guided optimisation, which one in the PATH often is not.
find_python() {
    for python in /usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11; do
        if is_good_python "$python"; then command -v "$python"; return; fi
    done
}

provide_python() {
    [ -n "$(find_python)" ] && return
    can_install || die "Python 3.11 or later with venv is missing: install it, or run make as root on Debian or Ubuntu"
    refresh_apt
    for version in 3 3.14 3.13 3.12 3.11; do
        is_offered "python$version-venv" || continue
        install "python$version" "python$version-venv" || continue
        [ -n "$(find_python)" ] && return
    done
    die "no Python of 3.11 or later with venv can be installed: this needs Debian 12 or Ubuntu 22.04, or later"
}

provide_python
mkdir -p ../var
find_python > ../var/python
while read -r what purpose_of_line packages why; do
    case $what in ''|'#'*) continue ;; esac
    [ "$purpose_of_line" = test ] && [ "$purpose" != test ] && continue
    is_there "$what" && continue
    if [ "$purpose_of_line" = speed ]; then try "$packages"; else provide "$what" "$purpose_of_line" "$packages" "$why"; fi
done < packages
