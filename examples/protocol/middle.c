/* Plays the move in the middle of the list of legal moves, in any game. It speaks the protocol of docs/protocol.md:
 *
 *     cc -O2 -o middle examples/protocol/middle.c
 *     kibitz arena connect_four cmd:./middle random
 *
 * It gets by without a JSON library, because kibitz writes no spaces between values and the legal moves before the
 * position. Within texts, quotation marks are escaped, so a pattern such as "moves":[ can only be a key.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first value of a key: what follows "key": in the line. */
static const char *value(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found ? found + strlen(key) : "";
}

/* The move in the middle of a list such as 0,1,2,5] */
static long middle(const char *list)
{
    long moves[4096], count = 0;
    while (count < 4096) {
        char *end;
        moves[count] = strtol(list, &end, 10);
        if (end == list)
            break;
        count++;
        if (*end != ',')
            break;
        list = end + 1;
    }
    return count ? moves[count / 2] : -1;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    setvbuf(stdout, NULL, _IOLBF, 0); /* every answer leaves at once */
    while (getline(&line, &size, stdin) > 0) {
        long id = strtol(value(line, "\"id\":"), NULL, 10);
        const char *type = value(line, "\"type\":");
        if (!strncmp(type, "\"hello\"", 7))
            printf("{\"id\":%ld,\"name\":\"middle\",\"protocol\":1,\"text\":false}\n", id);
        else if (!strncmp(type, "\"move\"", 6))
            printf("{\"id\":%ld,\"move\":%ld}\n", id, middle(value(line, "\"moves\":[")));
        else
            printf("{\"id\":%ld}\n", id);
    }
    free(line);
    return 0;
}
