// The floor of hits.sh: answers each request with prepared bytes, by epoll, recv and send, and does nothing else.
//
//     floor PORT THREADS FILE...
//
// A request for "/N" gets file N, counted from 0, which contains a whole response. Requests must arrive whole.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most_responses = 10, most_descriptors = 65536, buffer_size = 65536 };

struct response {
    char *bytes;
    size_t size;
};
struct connection {
    const struct response *response;
    size_t sent;
};

static struct response responses[most_responses];
static int response_count;
static int port;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void load(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    struct response *response = &responses[response_count++];
    response->size = (size_t)ftell(file);
    response->bytes = malloc(response->size);
    rewind(file);
    if (!response->bytes || fread(response->bytes, 1, response->size, file) != response->size) fail(path);
    fclose(file);
}

static int listen_at_port(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) ||
        bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096))
        fail("listen");
    return listener;
}

// Sends as much of the response as the socket takes; -1 if the connection is broken.
static int proceed(int descriptor, struct connection *connection) {
    while (connection->response) {
        const struct response *response = connection->response;
        ssize_t count = send(descriptor, response->bytes + connection->sent, response->size - connection->sent, MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN ? 0 : -1;
        connection->sent += (size_t)count;
        if (connection->sent == response->size) *connection = (struct connection){0};
    }
    return 0;
}

// Reads a request and begins its response; -1 if the connection has ended.
static int begin(int descriptor, struct connection *connection, char *buffer) {
    ssize_t count = recv(descriptor, buffer, buffer_size, 0);
    if (count < 0) return errno == EAGAIN ? 0 : -1;
    int index = count > 5 ? buffer[5] - '0' : -1;
    if (index < 0 || index >= response_count) return -1;
    connection->response = &responses[index];
    return proceed(descriptor, connection);
}

static void *serve(void *unused) {
    struct connection *connections = calloc(most_descriptors, sizeof *connections);
    char *buffer = malloc(buffer_size);
    int listener = listen_at_port(), epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    if (!connections || !buffer || epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event)) fail("epoll");
    for (;;) {
        int count = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (accepted < 0 || accepted >= most_descriptors) continue;
                connections[accepted] = (struct connection){0};
                event = (struct epoll_event){
                    .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = accepted};
                epoll_ctl(epoll, EPOLL_CTL_ADD, accepted, &event);
                continue;
            }
            struct connection *connection = &connections[descriptor];
            int result = connection->response ? proceed(descriptor, connection) : 0;
            if (result == 0 && events[i].events & EPOLLIN) result = begin(descriptor, connection, buffer);
            if (result < 0 || events[i].events & (EPOLLERR | EPOLLHUP)) close(descriptor);
        }
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count < 4 || count > 3 + most_responses) {
        fputs("usage: floor PORT THREADS FILE...\n", stderr);
        return 2;
    }
    port = atoi(arguments[1]);
    for (int i = 3; i < count; i++) load(arguments[i]);
    for (int i = 0; i < atoi(arguments[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, NULL)) fail("pthread_create");
    }
    pause();
    return 0;
}
